#include "cli/completion.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>

#include "cli/catalogue.hpp"
#include "cli/verbs.hpp"
#include "lab/config/locate.hpp"
#include "lab/data/dataset_catalogue.hpp"

namespace moblo::cli {
namespace {

using Candidates = std::vector<Candidate>;
using Words = std::vector<std::string>;

Candidates experiments() {
  Candidates found;
  for (const auto& file : lab::config::experiment_files()) found.push_back({file.stem().string(), ""});
  return found;
}

Candidates datasets() {
  Candidates found;
  for (const auto& info : lab::data::dataset_catalogue()) found.push_back({info.name, info.summary});
  return found;
}

Candidates of_catalogue(const std::string& list) {
  Candidates found;
  const auto catalogue = read_catalogue();
  for (const auto& entry : catalogue.at(list)) {
    found.push_back({entry.at("name").get<std::string>(), entry.at("summary").get<std::string>()});
  }
  return found;
}

Candidates plain(const Words& words) {
  Candidates found;
  for (const auto& word : words) found.push_back({word, ""});
  return found;
}

/// "TEXT:{a,b}", as CLI11 describes an option with a set of values.
std::optional<Candidates> values_of_a_set(const CLI::Option& option) {
  const auto type = option.get_type_name();
  const auto begin = type.find('{'), end = type.find('}');
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;
  return plain(CLI::detail::split(type.substr(begin + 1, end - begin - 1), ','));
}

Candidates values_of(const CLI::App& verb, const CLI::Option& option, const Words& before) {
  if (const auto set = values_of_a_set(option)) return *set;
  const auto place = verb.get_name() + " " + option.get_name();
  if (place == "reproduce name") return experiments();
  if (place == "check-gradients problem") return of_catalogue("problems");
  if (place == "aggregate --method") return of_catalogue("weightings");
  if (place == "data action") return plain({"get", "verify", "where"});
  if (place == "data name") return datasets();
  if (place == "list what") return plain(names_of_lists());
  const bool entries =
      place == "list name" && (before[0] == "methods" || before[0] == "weightings" || before[0] == "problems");
  return entries ? of_catalogue(before[0]) : Candidates();
}

bool takes_a_value(const CLI::Option* option) {
  return option && option->get_items_expected_min() > 0;
}

Candidates options_of(const CLI::App& app) {
  Candidates found;
  for (const auto* option : app.get_options()) {
    if (option->nonpositional() && !option->get_group().empty()) {
      found.push_back({"--" + option->get_lnames().front(), option->get_description()});
    }
  }
  return found;
}

Candidates verbs_of(const CLI::App& app) {
  Candidates found;
  for (const auto* verb : app.get_subcommands({})) found.push_back({verb->get_name(), verb->get_description()});
  return found;
}

const CLI::Option* positional(const CLI::App& verb, std::size_t index) {
  const CLI::Option* last = nullptr;
  for (const auto* option : verb.get_options()) {
    if (option->nonpositional()) continue;
    last = option;
    if (index-- == 0) return option;
  }
  return last && last->get_items_expected_max() > 1 ? last : nullptr;  // the last one may take any number
}

Candidates in_verb(const CLI::App& verb, const Words& words) {
  Words values;  // of the positional options so far
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const bool is_option = words[i].starts_with("-");
    if (!is_option) values.push_back(words[i]);
    if (!is_option || !takes_a_value(verb.get_option_no_throw(words[i]))) continue;
    if (i + 2 == words.size()) return values_of(verb, *verb.get_option_no_throw(words[i]), values);
    ++i;
  }
  if (words.back().starts_with("-")) return options_of(verb);
  const auto* option = positional(verb, values.size());
  return option ? values_of(verb, *option, values) : Candidates();
}

Candidates all_candidates(const CLI::App& app, const Words& words) {
  if (words.size() < 2) return !words.empty() && words.back().starts_with("-") ? options_of(app) : verbs_of(app);
  for (const auto* verb : app.get_subcommands({})) {
    if (verb->get_name() == words.front()) return in_verb(*verb, {words.begin() + 1, words.end()});
  }
  return {};
}

constexpr const char* bash_script = R"(# moblo completion bash > /etc/bash_completion.d/moblo
_moblo() {
  local line
  COMPREPLY=()
  while IFS=$'\t' read -r line _; do
    COMPREPLY+=("$line")
  done < <(moblo --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _moblo moblo
)";

constexpr const char* zsh_script = R"(#compdef moblo
# moblo completion zsh > "${fpath[1]}/_moblo"
_moblo() {
  local -a found
  local word help
  while IFS=$'\t' read -r word help; do
    found+=("${word//:/\\:}:$help")
  done < <(moblo --complete "${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( $#found )); then
    _describe 'moblo' found
  else
    _files
  fi
}
if [ "$funcstack[1]" = "_moblo" ]; then
  _moblo "$@"
else
  compdef _moblo moblo
fi
)";

constexpr const char* fish_script = R"(# moblo completion fish > ~/.config/fish/completions/moblo.fish
function __moblo_candidates
  set -l words (commandline -opc) (commandline -ct)
  moblo --complete $words[2..-1] 2>/dev/null
end
complete -c moblo -a '(__moblo_candidates)'
)";

}  // namespace

std::vector<Candidate> candidates(const CLI::App& app, const std::vector<std::string>& words) {
  auto found = all_candidates(app, words);
  const auto begun = words.empty() ? std::string() : words.back();
  std::erase_if(found, [&](const Candidate& candidate) { return !candidate.text.starts_with(begun); });
  return found;
}

std::string completion_script(const std::string& shell) {
  return shell == "bash" ? bash_script : shell == "zsh" ? zsh_script : fish_script;
}

int completion(const CompletionArguments& arguments) {
  fmt::print("{}", completion_script(arguments.shell));
  return 0;
}

}  // namespace moblo::cli
