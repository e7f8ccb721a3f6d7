#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::records {

/// JSON has no NaN and no infinity, yet a run that diverged has to say so: they are written as the strings that
/// JavaScript's Number() and Python's float() understand.
Json number_json(double value);
Json numbers_json(const std::vector<double>& values);
/// The number, or what number_json() made of it; null, which other writers use, is NaN. Empty for anything else.
std::optional<double> json_number(const Json& value);

/// The same for every number in a document. A string that reads "NaN" or "Infinity" does not survive the way back.
Json encode_non_finite(const Json& document);
Json decode_non_finite(const Json& document);

/// Text for a file; bytes that are not UTF-8 are replaced, since a record must never fail for a name in it.
std::string dump_json(const Json& document, int indent = -1);

/// Reads the fields of one JSON object; a missing key or a wrong type is an Error(data) that names both.
class Fields {
 public:
  /// `what` is the object's name in messages; both arguments must outlive this.
  Fields(const Json& object, const std::string& what);

  bool has(const char* key) const;
  const Json& at(const char* key) const;
  std::int64_t integer(const char* key) const;
  double number(const char* key) const;
  std::vector<double> numbers(const char* key) const;
  std::vector<std::int64_t> integers(const char* key) const;
  std::string text(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  std::vector<std::pair<std::string, double>> named_numbers(const char* key) const;
  bool flag_or(const char* key, bool fallback) const;
  std::string text_or(const char* key, const std::string& fallback) const;
  std::optional<double> number_if_any(const char* key) const;
  std::optional<std::int64_t> integer_if_any(const char* key) const;
  const Json& list(const char* key) const;

  [[noreturn]] void refuse(const char* key, const std::string& rule) const;

 private:
  const Json& object_;
  const std::string& what_;
};

}  // namespace moblo::records
