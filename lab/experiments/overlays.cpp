#include "lab/experiments/overlays.hpp"

#include <fmt/format.h>

#include <map>

#include "moblo/base/error.hpp"
#include "moblo/base/options.hpp"

namespace moblo::lab::experiments {
namespace {

bool from_command_line(const config::Config& config, const std::string& path) {
  return config.place(path).starts_with("--set ");
}

enum class Over { all, file };  ///< what an overlay covers: everything, or what the command line has not set

/// Lays `overlay` over the configuration, leaf by leaf, so that errors name the line of the overlay.
void lay_over(config::Config& config, const Json& overlay, const std::string& at, const std::string& source,
              Over over) {
  for (const auto& [key, value] : overlay.items()) {
    const std::string path = at.empty() ? key : at + "." + key, from = source + "." + key;
    if (value.is_object()) {
      lay_over(config, value, path, from, over);
    } else if (over == Over::all || !from_command_line(config, path)) {
      config.set(path, value, config.place(from));
    }
  }
}

std::map<std::string, double> positions(const Json& table, const OptionPlace& place) {
  base::reading::refuse_unless_table(table, place);
  std::map<std::string, double> out;
  for (const auto& [key, value] : table.items()) out[key] = base::reading::read_number(value, {}, place.child(key));
  return out;
}

/// What a case says of itself and not of its run; taken out of the overlay.
report::ExperimentRecord::Case take_presentation(Json& overlay, const std::string& fallback, const OptionPlace& place) {
  report::ExperimentRecord::Case out;
  out.name = fallback;
  if (overlay.contains("name")) out.name = base::reading::read_string(overlay["name"], place.child("name"));
  if (overlay.contains("series")) out.series = base::reading::read_string(overlay["series"], place.child("series"));
  if (overlay.contains("x")) out.x = positions(overlay["x"], place.child("x"));
  for (const auto* key : {"name", "series", "x"}) overlay.erase(key);
  return out;
}

void refuse_bad_list(const config::Config& config) {
  const auto& cases = config.values["case"];
  if (!cases.is_array()) {
    throw Error(ErrorKind::config, config.place("case"), "cases are a list of tables", "Write [[case]]");
  }
  if (cases.empty()) {
    throw Error(ErrorKind::config, config.place("case"), "the list of cases is empty", "Add a [[case]], or remove it");
  }
}

}  // namespace

const std::vector<std::string>& structure_keys() {
  static const std::vector<std::string> keys{"case", "panel", "table", "expect", "quick", "preset", "presets", "front"};
  return keys;
}

void apply_preset(config::Config& config) {
  if (!config.values.contains("preset")) return;
  const auto name = base::reading::read_string(config.values["preset"], {&config, "preset"});
  const Json presets = config.values.contains("presets") ? config.values["presets"] : Json::object();
  base::reading::refuse_unless_table(presets, {&config, "presets"});
  if (!presets.contains(name)) {
    std::string known;
    for (const auto& [other, overlay] : presets.items()) known += fmt::format(" [presets.{}]", other);
    throw Error(ErrorKind::config, config.place("preset"), fmt::format("there is no preset '{}' in this file", name),
                known.empty() ? "It has none: leave `preset` out" : "Choose one of" + known);
  }
  base::reading::refuse_unless_table(presets[name], {&config, "presets." + name});
  lay_over(config, presets[name], "", "presets." + name, Over::file);
}

void apply_quick(config::Config& config, bool quick) {
  if (!config.values.contains("quick")) return;
  const Json overlay = config.values["quick"];
  base::reading::refuse_unless_table(overlay, {&config, "quick"});
  if (quick) lay_over(config, overlay, "", "quick", Over::file);
}

void drop_comparisons(config::Config& config) {
  if (!config.values.contains("case") || !from_command_line(config, "method")) return;
  for (const auto* key : {"panel", "table", "expect"}) config.values.erase(key);
}

std::vector<NamedConfig> expand_cases(const config::Config& config) {
  config::Config plain = config;
  for (const auto& key : structure_keys()) plain.values.erase(key);
  if (!config.values.contains("case")) return {{{}, plain}};
  refuse_bad_list(config);
  const auto& cases = config.values["case"];
  std::vector<NamedConfig> all;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const OptionPlace place{&config, fmt::format("case[{}]", i)};
    base::reading::refuse_unless_table(cases[i], place);
    Json overlay = cases[i];
    const Json method = overlay.value("method", config.in_file("method"));
    if (from_command_line(config, "method") && method != config.values["method"]) continue;
    NamedConfig expanded{take_presentation(overlay, fmt::format("case {}", i + 1), place), plain};
    lay_over(expanded.config, overlay, "", place.path, Over::all);
    all.push_back(std::move(expanded));
  }
  if (all.empty()) all.push_back({{}, plain});
  return all;
}

}  // namespace moblo::lab::experiments
