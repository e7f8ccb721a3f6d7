#include "moblo/records/json_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "moblo/base/error.hpp"

namespace moblo::records {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::optional<double> non_finite_word(const Json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto& word = value.get_ref<const std::string&>();
  if (word == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (word == "Infinity") return infinity;
  if (word == "-Infinity") return -infinity;
  return std::nullopt;
}

bool fits_int64(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max();
  return value.is_number_integer();
}

template <class Leaf>
Json with_leaves(const Json& document, const Leaf& leaf) {
  if (!document.is_structured()) return leaf(document);
  Json out = document;
  for (auto& child : out) child = with_leaves(child, leaf);
  return out;
}

}  // namespace

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

Json numbers_json(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number_json(value));
  return list;
}

std::optional<double> json_number(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_null()) return std::numeric_limits<double>::quiet_NaN();
  return non_finite_word(value);
}

Json encode_non_finite(const Json& document) {
  return with_leaves(document,
                     [](const Json& leaf) { return leaf.is_number_float() ? number_json(leaf.get<double>()) : leaf; });
}

Json decode_non_finite(const Json& document) {
  return with_leaves(document, [](const Json& leaf) {
    const auto number = non_finite_word(leaf);
    return number ? Json(*number) : leaf;
  });
}

std::string dump_json(const Json& document, int indent) {
  return document.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Fields::Fields(const Json& object, const std::string& what) : object_(object), what_(what) {
  if (!object.is_object()) {
    throw Error(ErrorKind::data, what, fmt::format("is a JSON {}, an object was expected", object.type_name()),
                "It is written by the program and not meant to be edited");
  }
}

void Fields::refuse(const char* key, const std::string& rule) const {
  throw Error(ErrorKind::data, what_, fmt::format("'{}' {}", key, rule),
              "It is written by the program and not meant to be edited");
}

bool Fields::has(const char* key) const {
  return object_.find(key) != object_.end();
}

const Json& Fields::at(const char* key) const {
  const auto found = object_.find(key);
  if (found == object_.end()) refuse(key, "is missing");
  return *found;
}

std::int64_t Fields::integer(const char* key) const {
  const auto& value = at(key);
  if (!fits_int64(value)) refuse(key, "must be an integer");
  return value.get<std::int64_t>();
}

double Fields::number(const char* key) const {
  const auto number = json_number(at(key));
  if (!number) refuse(key, "must be a number");
  return *number;
}

const Json& Fields::list(const char* key) const {
  const auto& value = at(key);
  if (!value.is_array()) refuse(key, "must be a list");
  return value;
}

std::vector<double> Fields::numbers(const char* key) const {
  const auto& values = list(key);
  std::vector<double> out;
  out.reserve(values.size());
  for (const auto& value : values) {
    const auto number = json_number(value);
    if (!number) refuse(key, "must hold numbers only");
    out.push_back(*number);
  }
  return out;
}

std::vector<std::int64_t> Fields::integers(const char* key) const {
  std::vector<std::int64_t> out;
  for (const auto& value : list(key)) {
    if (!value.is_number_integer()) refuse(key, "must hold integers only");
    out.push_back(value.get<std::int64_t>());
  }
  return out;
}

std::string Fields::text(const char* key) const {
  const auto& value = at(key);
  if (!value.is_string()) refuse(key, "must be a string");
  return value.get<std::string>();
}

std::vector<std::string> Fields::texts(const char* key) const {
  std::vector<std::string> out;
  for (const auto& value : list(key)) {
    if (!value.is_string()) refuse(key, "must hold strings only");
    out.push_back(value.get<std::string>());
  }
  return out;
}

std::vector<std::pair<std::string, double>> Fields::named_numbers(const char* key) const {
  const auto& value = at(key);
  if (!value.is_object()) refuse(key, "must be an object of numbers");
  std::vector<std::pair<std::string, double>> out;
  out.reserve(value.size());
  for (auto entry = value.begin(); entry != value.end(); ++entry) {
    const auto number = json_number(entry.value());
    if (!number) refuse(key, fmt::format("must hold numbers only, '{}' is none", entry.key()));
    out.emplace_back(entry.key(), *number);
  }
  return out;
}

bool Fields::flag_or(const char* key, bool fallback) const {
  if (!has(key)) return fallback;
  if (!at(key).is_boolean()) refuse(key, "must be true or false");
  return at(key).get<bool>();
}

std::string Fields::text_or(const char* key, const std::string& fallback) const {
  return has(key) ? text(key) : fallback;
}

std::optional<double> Fields::number_if_any(const char* key) const {
  if (!has(key)) return std::nullopt;
  return number(key);
}

std::optional<std::int64_t> Fields::integer_if_any(const char* key) const {
  if (!has(key)) return std::nullopt;
  return integer(key);
}

}  // namespace moblo::records
