#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/json.hpp"

namespace moblo::base {

/// Which numbers an option may take; written once, it drives parsing, help, docs and the manifest.
struct MOBLO_API Range {
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

/// An enum that is an option says its names beside its declaration, where argument-dependent lookup finds them:
/// `constexpr auto enum_names(E) { return std::array{std::pair{"name", E::value}, ...}; }`
template <class E>
std::string enum_name(E value) {
  for (const auto& [text, candidate] : enum_names(E{})) {
    if (candidate == value) return std::string(text);
  }
  return "?";
}

struct MOBLO_API FieldInfo {
  std::string key, type, range, help;
  Json default_value;
};

/// Knows where values were written: the lines of an experiment file, a --set.
class MOBLO_API ValueSource {
 public:
  virtual ~ValueSource() = default;
  /// "synthetic.toml:12".
  virtual std::string place(const std::string& dotted_key) const = 0;
};

/// Where a value stands, for messages: the dotted path and the source that knows its line.
struct MOBLO_API OptionPlace {
  const ValueSource* source = nullptr;
  std::string path;

  OptionPlace child(const std::string& key) const { return {source, path.empty() ? key : path + "." + key}; }
  std::string text() const { return source ? source->place(path) + ": " + path : path; }
};

namespace reading {
MOBLO_API bool read_bool(const Json& value, const OptionPlace& place);
MOBLO_API std::int64_t read_integer(const Json& value, const Range& range, const OptionPlace& place);
MOBLO_API double read_number(const Json& value, const Range& range, const OptionPlace& place);
MOBLO_API std::string read_string(const Json& value, const OptionPlace& place);
MOBLO_API std::vector<std::string> read_strings(const Json& value, const OptionPlace& place);
MOBLO_API std::vector<double> read_numbers(const Json& value, const Range& range, const OptionPlace& place);
MOBLO_API std::map<std::string, double> read_number_table(const Json& value, const Range& range,
                                                          const OptionPlace& place);
MOBLO_API std::size_t read_choice(const Json& value, const std::vector<std::string>& names, const OptionPlace& place);
MOBLO_API void refuse_unless_table(const Json& value, const OptionPlace& place);
[[noreturn]] MOBLO_API void refuse_unknown_key(const std::string& key, const std::vector<std::string>& known,
                                               const OptionPlace& place);
}  // namespace reading

/// The field table of an options struct: the one place where a key, its range and its meaning are written.
/// A field of type std::optional has a default that depends on the others: `apply_profile()` of the struct fills in
/// what was not given.
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
    field.info = {{key, type_name<T>(), range.text(), std::move(help), to_json(defaults().*member)}};
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
    const auto nested = table.write(defaults().*member);
    for (auto info : table.fields()) {
      info.default_value = nested.at(Json::json_pointer(pointer_to(info.key)));
      info.key = key + "." + info.key;
      field.info.push_back(std::move(info));
    }
    field.key = std::move(key);
    fields_.push_back(std::move(field));
    return *this;
  }

  /// Overlays the values of `table` on `options`, then completes them: `apply_profile()`, where Options has it, fills
  /// in what was not given, and `refuse_contradictions(place)` checks what no single field can.
  void read(const Json& table, Options& options, const OptionPlace& place) const {
    reading::refuse_unless_table(table, place);
    for (const auto& [key, value] : table.items()) {
      if (!find(key)) reading::refuse_unknown_key(key, keys(), place);
    }
    for (const auto& [key, value] : table.items()) find(key)->read(options, value, place.child(key));
    if constexpr (requires { options.apply_profile(); }) options.apply_profile();
    if constexpr (requires { options.refuse_contradictions(place); }) options.refuse_contradictions(place);
  }

  /// Options that were given as a struct, held to the same rules and completed in the same way.
  Options checked(Options options, const OptionPlace& place) const {
    const Json all = write(options);
    Json given = Json::object();
    for (const auto& [key, value] : all.items()) {
      if (!value.is_null()) given[key] = value;
    }
    read(given, options, place);
    return options;
  }

  /// null for what was not given.
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

  static Options defaults() {
    Options options;
    if constexpr (requires { options.apply_profile(); }) options.apply_profile();
    return options;
  }

  static std::string pointer_to(const std::string& dotted_key) {
    std::string pointer(1, '/');
    for (const char c : dotted_key) pointer.push_back(c == '.' ? '/' : c);
    return pointer;
  }

  template <class T>
  struct Plain {
    using type = T;
  };
  template <class T>
  struct Plain<std::optional<T>> {
    using type = T;
  };

  template <class T>
  static T convert(const Json& value, const Range& range, const OptionPlace& place) {
    if constexpr (!std::is_same_v<T, typename Plain<T>::type>) {
      return convert<typename Plain<T>::type>(value, range, place);
    } else if constexpr (std::is_same_v<T, bool>) {
      return reading::read_bool(value, place);
    } else if constexpr (std::is_enum_v<T>) {
      std::vector<std::string> names;
      for (const auto& row : enum_names(T{})) names.emplace_back(row.first);
      return enum_names(T{})[reading::read_choice(value, names, place)].second;
    } else if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(reading::read_integer(value, range, place));
    } else if constexpr (std::is_floating_point_v<T>) {
      return reading::read_number(value, range, place);
    } else if constexpr (std::is_same_v<T, std::string>) {
      return reading::read_string(value, place);
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return reading::read_strings(value, place);
    } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
      return reading::read_number_table(value, range, place);
    } else if constexpr (std::is_same_v<T, Json>) {  // refuse_contradictions() knows what may stand in it
      reading::refuse_unless_table(value, place);
      return value;
    } else {
      return reading::read_numbers(value, range, place);
    }
  }

  template <class T>
  static Json to_json(const T& value) {
    if constexpr (!std::is_same_v<T, typename Plain<T>::type>) {
      return value ? to_json(*value) : Json();
    } else if constexpr (std::is_enum_v<T>) {
      return enum_name(value);
    } else {
      return value;
    }
  }

  template <class T>
  static std::string type_name() {
    if constexpr (!std::is_same_v<T, typename Plain<T>::type>) {
      return type_name<typename Plain<T>::type>();
    } else if constexpr (std::is_same_v<T, bool>) {
      return "true | false";
    } else if constexpr (std::is_enum_v<T>) {
      std::string names;
      for (const auto& row : enum_names(T{})) names += (names.empty() ? "" : " | ") + std::string(row.first);
      return names;
    } else if constexpr (std::is_integral_v<T>) {
      return "integer";
    } else if constexpr (std::is_floating_point_v<T>) {
      return "number";
    } else if constexpr (std::is_same_v<T, std::string>) {
      return "string";
    } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
      return "list of strings";
    } else if constexpr (std::is_same_v<T, std::map<std::string, double>>) {
      return "table of numbers";
    } else if constexpr (std::is_same_v<T, Json>) {
      return "table";
    } else {
      return "list of numbers";
    }
  }

  std::vector<Field> fields_;
};

}  // namespace moblo::base

namespace moblo {

using base::above;
using base::at_least;
using base::at_least_below;
using base::FieldInfo;
using base::OptionPlace;
using base::OptionTable;
using base::Range;
using base::within;

}  // namespace moblo
