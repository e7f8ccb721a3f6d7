#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "moblo/base/config.hpp"
#include "moblo/base/json.hpp"

namespace moblo {

/// Which numbers an option may take; written once, it drives parsing, help, docs and the manifest.
struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double value) const;
  std::string text() const;
};

inline Range at_least(double low) {
  return {.low = low};
}
inline Range above(double low) {
  return {.low = low, .low_open = true};
}
inline Range within(double low, double high) {
  return {.low = low, .high = high};
}
inline Range at_least_below(double low, double high) {
  return {.low = low, .high = high, .high_open = true};
}

/// Specialise with `static constexpr std::array values{std::pair{"name", E::value}, ...}`.
template <class E>
struct EnumNames;

template <class E>
std::string enum_name(E value) {
  for (const auto& [text, candidate] : EnumNames<E>::values) {
    if (candidate == value) return std::string(text);
  }
  return "?";
}

struct FieldInfo {
  std::string key, type, range, help;
  Json default_value;
};

/// Where a value stands, for messages: the dotted path and the config that knows its line.
struct OptionPlace {
  const Config* config = nullptr;
  std::string path;

  OptionPlace child(const std::string& key) const { return {config, path.empty() ? key : path + "." + key}; }
  std::string text() const { return config ? config->place(path) + ": " + path : path; }
};

namespace detail {
bool read_bool(const Json& value, const OptionPlace& place);
std::int64_t read_integer(const Json& value, const Range& range, const OptionPlace& place);
double read_number(const Json& value, const Range& range, const OptionPlace& place);
std::string read_string(const Json& value, const OptionPlace& place);
std::vector<std::string> read_strings(const Json& value, const OptionPlace& place);
std::vector<double> read_numbers(const Json& value, const Range& range, const OptionPlace& place);
std::size_t read_choice(const Json& value, const std::vector<std::string>& names, const OptionPlace& place);
void refuse_unless_table(const Json& value, const OptionPlace& place);
[[noreturn]] void refuse_unknown_key(const std::string& key, const std::vector<std::string>& known,
                                     const OptionPlace& place);
}  // namespace detail

/// The field table of an options struct: the one place where a key, its range and its meaning are written.
template <class Options>
class OptionTable {
 public:
  template <class T>
  OptionTable& add(std::string key, T Options::*member, std::string help, Range range = {}) {
    Field field;
    field.read = [member, range](Options& to, const Json& value, const OptionPlace& place) {
      to.*member = convert<T>(value, range, place);
    };
    field.write = [member](const Options& from) { return to_json(from.*member); };
    field.info = {{key, type_name<T>(), range.text(), std::move(help), to_json(Options{}.*member)}};
    field.key = std::move(key);
    fields_.push_back(std::move(field));
    return *this;
  }

  template <class Nested>
  OptionTable& nest(std::string key, Nested Options::*member, const OptionTable<Nested>& table) {
    Field field;
    field.read = [member, table](Options& to, const Json& value, const OptionPlace& place) {
      table.read(value, to.*member, place);
    };
    field.write = [member, table](const Options& from) { return table.write(from.*member); };
    const auto defaults = table.write(Options{}.*member);
    for (auto info : table.fields()) {
      info.default_value = defaults.at(Json::json_pointer("/" + slashed(info.key)));
      info.key = key + "." + info.key;
      field.info.push_back(std::move(info));
    }
    field.key = std::move(key);
    fields_.push_back(std::move(field));
    return *this;
  }

  /// Overlays the values of `table` on `options`. Where Options has `apply_profile()`, the key "profile" is read first
  /// and resets the other defaults; keys that are given win over the profile. `refuse_contradictions(place)`, where it
  /// exists, checks what no single field can.
  void read(const Json& table, Options& options, const OptionPlace& place) const {
    detail::refuse_unless_table(table, place);
    for (const auto& [key, value] : table.items()) {
      if (!find(key)) detail::refuse_unknown_key(key, keys(), place);
    }
    if constexpr (requires(Options & o) { o.apply_profile(); }) {
      if (table.contains("profile")) find("profile")->read(options, table["profile"], place.child("profile"));
      options.apply_profile();
    }
    for (const auto& [key, value] : table.items()) find(key)->read(options, value, place.child(key));
    if constexpr (requires { options.refuse_contradictions(place); }) options.refuse_contradictions(place);
  }

  Json write(const Options& options) const {
    Json table = Json::object();
    for (const auto& field : fields_) table[field.key] = field.write(options);
    return table;
  }

  std::vector<FieldInfo> fields() const {
    std::vector<FieldInfo> all;
    for (const auto& field : fields_) all.insert(all.end(), field.info.begin(), field.info.end());
    return all;
  }

  std::vector<std::string> keys() const {
    std::vector<std::string> all;
    for (const auto& field : fields_) all.push_back(field.key);
    return all;
  }

 private:
  struct Field {
    std::string key;
    std::vector<FieldInfo> info;
    std::function<void(Options&, const Json&, const OptionPlace&)> read;
    std::function<Json(const Options&)> write;
  };

  const Field* find(const std::string& key) const {
    for (const auto& field : fields_) {
      if (field.key == key) return &field;
    }
    return nullptr;
  }

  static std::string slashed(std::string key) {
    for (auto& c : key) c = c == '.' ? '/' : c;
    return key;
  }

  template <class T>
  static T convert(const Json& value, const Range& range, const OptionPlace& place) {
    if constexpr (std::is_same_v<T, bool>) {
      return detail::read_bool(value, place);
    } else if constexpr (std::is_enum_v<T>) {
      std::vector<std::string> names;
      for (const auto& row : EnumNames<T>::values) names.emplace_back(row.first);
      return EnumNames<T>::values[detail::read_choice(value, names, place)].second;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(detail::read_integer(value, range, place));
    } else if constexpr (std::is_floating_point_v<T>) {
      return detail::read_number(value, range, place);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return detail::read_string(value, place);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return detail::read_strings(value, place);
    } else {
      return detail::read_numbers(value, range, place);
    }
  }

  template <class T>
  static Json to_json(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return enum_name(value);
    } else {
      return value;
    }
  }

  template <class T>
  static std::string type_name() {
    if constexpr (std::is_same_v<T, bool>) {
      return "true | false";
    } else if constexpr (std::is_enum_v<T>) {
      std::string names;
      for (const auto& row : EnumNames<T>::values) names += (names.empty() ? "" : " | ") + std::string(row.first);
      return names;
    } else if constexpr (std::is_integral_v<T>) {
      return "integer";
    } else if constexpr (std::is_floating_point_v<T>) {
      return "number";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return "string";
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return "list of strings";
    } else {
      return "list of numbers";
    }
  }

  std::vector<Field> fields_;
};

}  // namespace moblo
