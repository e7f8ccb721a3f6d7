#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include "moblo/base/json.hpp"

namespace moblo::golden {

/// tests/golden/NAME, which an independent implementation wrote (tools/golden). Nothing to compare with is no
/// agreement: a file that is missing or empty throws, and so fails the test that asks for it.
inline Json read(const std::string& name) {
  const auto file = std::string(MOBLO_SOURCE_DIR) + "/tests/golden/" + name;
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " is missing; tools/golden writes it");
  const auto content = Json::parse(in);
  if (content.empty()) throw std::runtime_error(file + " is empty");
  return content;
}

/// Its list "cases".
inline Json cases(const std::string& name) {
  const auto all = read(name).at("cases");
  if (!all.is_array() || all.empty()) throw std::runtime_error("tests/golden/" + name + " holds no cases");
  return all;
}

}  // namespace moblo::golden
