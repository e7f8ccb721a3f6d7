#include "lab/config/config.hpp"

#include <fmt/format.h>

#define TOML_EXCEPTIONS 1
#define TOML_ASSERT(condition) static_assert(true)  // it asserts that "[}" cannot be; without, the parser refuses it
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "lab/config/toml_text.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/files.hpp"

namespace moblo::lab::config {
namespace {

using Places = std::map<std::string, std::string>;

/// The tree of toml++ as JSON.
class Converter {
 public:
  Converter(const AsciiToml& toml, const std::string& file, Places& places)
      : toml_(toml), file_(file), places_(places) {}

  Json convert(const toml::node& node, const std::string& path = "") {
    if (!path.empty()) places_[path] = fmt::format("{}:{}", file_, node.source().begin.line);
    if (const auto* table = node.as_table()) {
      Json object = Json::object();
      for (const auto& [key, value] : *table) {
        const std::string name = toml_.original(key.str());
        object[name] = convert(value, path.empty() ? name : path + "." + name);
      }
      return object;
    }
    if (const auto* array = node.as_array()) {
      Json list = Json::array();
      for (std::size_t i = 0; i < array->size(); ++i) {
        list.push_back(convert(*array->get(i), fmt::format("{}[{}]", path, i)));
      }
      return list;
    }
    if (const auto value = node.value_exact<std::string>()) return toml_.original(*value);
    if (const auto value = node.value_exact<bool>()) return *value;
    if (const auto value = node.value_exact<std::int64_t>()) return *value;
    if (const auto value = node.value_exact<double>()) return *value;
    throw Error(ErrorKind::config, fmt::format("{}: {}", places_[path], path), "dates and times have no use here",
                "Write a number, a string, a list or a table");
  }

 private:
  const AsciiToml& toml_;
  const std::string& file_;
  Places& places_;
};

constexpr std::uint64_t longest_file = 16 << 20;

[[noreturn]] void refuse_line(const std::string& name, std::int64_t line, const std::string& rule) {
  throw Error(ErrorKind::config, fmt::format("{}:{}", name, line), fmt::format("not valid TOML: {}", rule),
              "Fix that line");
}

/// Empty where the text of a --set is no TOML value.
std::optional<Json> parse_value(const std::string& text) {
  if (fault_in_toml(text)) return std::nullopt;
  const AsciiToml ascii("v = " + text);
  Places ignored;
  try {
    return Converter(ascii, "", ignored).convert(toml::parse(ascii.text()))["v"];
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

}  // namespace

Config Config::from_text(const std::string& toml, const std::string& name) {
  Config config;
  config.name_ = name;
  if (const auto fault = fault_in_toml(toml)) refuse_line(name, fault->line, "it " + fault->rule);
  const AsciiToml ascii(toml);
  try {
    config.values = Converter(ascii, name, config.places_).convert(toml::parse(ascii.text(), name));
  } catch (const toml::parse_error& error) {
    const auto at = error.source().begin;
    refuse_line(name, at.line, ascii.about_file(error.description(), at.line, at.column));
  }
  return config;
}

Config Config::from_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    throw Error(ErrorKind::config, file.string(), "is a folder, an experiment file was expected",
                "Name a .toml file; `moblo list experiments` shows those that come with the program");
  }
  if (!std::filesystem::exists(file, ignored)) {
    throw Error(ErrorKind::config, file.string(), "cannot be opened",
                "Check the path; `moblo list experiments` shows those that come with the program");
  }
  auto config = from_text(base::read_file(file, ErrorKind::config, base::FileKind::regular_or_pipe, longest_file),
                          file.filename().string());
  if (config.values.empty()) {
    throw Error(ErrorKind::config, file.string(), "is empty", "Write at least `problem = ...` and `method = ...`");
  }
  return config;
}

void Config::set(const std::string& assignment) {
  const auto equals = assignment.find('=');
  const std::string key = assignment.substr(0, equals);
  if (equals == std::string::npos || key.empty() || equals + 1 == assignment.size()) {
    throw Error(ErrorKind::usage, fmt::format("--set {}", assignment), "is not of the form key=value",
                "Write for example --set forum.rho=0.3");
  }
  const std::string text = assignment.substr(equals + 1);
  if (std::count(key.begin(), key.end(), '.') >= most_key_parts) {
    throw Error(ErrorKind::usage, "--set", fmt::format("the option's name has more than {} parts", most_key_parts),
                "`moblo list` shows all options");
  }
  Json value;
  try {
    value = parse_value(text).value_or(Json(text));
  } catch (const Error&) {
    throw Error(ErrorKind::usage, fmt::format("--set {}", assignment), "dates and times have no use here",
                "Write a number, a string, a list or a table");
  }
  set_over_.try_emplace(key, in_file(key));
  set(key, value, fmt::format("--set {}", assignment));
}

Json Config::in_file(const std::string& key) const {
  const auto found = set_over_.find(key);
  return found == set_over_.end() ? values.value(key, Json()) : found->second;
}

void Config::set(const std::string& dotted_key, const Json& value, const std::string& place) {
  Json* at = &values;
  std::istringstream parts(dotted_key);
  std::string part, path;
  while (std::getline(parts, part, '.')) {
    if (part.empty() || dotted_key.ends_with('.') || !(at->is_object() || at->is_null())) {
      throw Error(ErrorKind::usage, place, fmt::format("'{}' does not lead to an option", dotted_key),
                  "Give the dotted name of an option, for example forum.rho");
    }
    at = &(*at)[part];
    path += path.empty() ? part : "." + part;
    places_.try_emplace(path, place);
  }
  *at = value;
  places_[dotted_key] = place;
}

std::string Config::place(const std::string& dotted_key) const {
  const auto found = places_.find(dotted_key);
  return found == places_.end() ? name_ : found->second;
}

}  // namespace moblo::lab::config
