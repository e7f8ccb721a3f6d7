#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"
#include "tests/system/program.hpp"

namespace moblo::system_test {

inline std::vector<std::string> lines_that_start(const std::string& text, const std::string& prefix) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(prefix)) found.push_back(line);
  }
  return found;
}

inline void expect_told(const std::string& text, const std::vector<std::string>& parts) {
  for (const auto& part : parts) EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' not in: " << text;
}

inline void expect_no_innards(const Result& result) {
  for (const auto* sign : {"terminate called", "frame #", "backtrace", "what():", "json.exception", "std::"}) {
    EXPECT_EQ(result.err.find(sign), std::string::npos) << result.err;
    EXPECT_EQ(result.out.find(sign), std::string::npos) << result.out;
  }
}

/// Ended by itself with this code and one message on standard error that holds all of `told`; progress may stand there
/// besides.
inline void expect_failure(const Result& result, int exit_code, const std::vector<std::string>& told) {
  EXPECT_EQ(result.signal, 0) << result.err;
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  const auto messages = lines_that_start(result.err, "moblo: ");
  ASSERT_EQ(messages.size(), 1U) << result.err;
  expect_told(messages.front(), told);
  EXPECT_TRUE(messages.front().ends_with('.') || messages.front().ends_with('?')) << messages.front();
  expect_no_innards(result);
}

/// The same where no work had begun: that message is all there is.
inline void expect_refusal(const Result& result, int exit_code, const std::vector<std::string>& told) {
  expect_failure(result, exit_code, told);
  EXPECT_TRUE(result.err.starts_with("moblo: "));
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

/// What --json adds: one object on standard output with the same message.
inline void expect_refusal_object(const Result& result, int exit_code) {
  const auto object = Json::parse(result.out, nullptr, false);
  ASSERT_TRUE(object.is_object()) << result.out;
  EXPECT_EQ(object.value("status", ""), "error");
  EXPECT_EQ(object.value("exit_code", 0), exit_code);
  EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1);
  EXPECT_FALSE(object.value("message", "").empty());
}

}  // namespace moblo::system_test
