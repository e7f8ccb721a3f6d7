#pragma once

#include <functional>
#include <string>
#include <vector>

#include "moblo/base/json.hpp"

namespace moblo::cli {

/// Known before the command line is parsed, since a mistake in it has to be reported as asked for.
bool asks_for_json(int argc, char** argv);

/// To standard error. Never fails: a terminal that is gone must not end a run.
void say(const std::string& text);

/// One line on standard output; bytes that are not UTF-8 (a folder's name) are replaced.
void print_json(const Json& document);

/// Runs `body`, turns whatever it throws into one message on standard error, and returns the exit code. With `json`
/// the message also goes to standard output as an object.
int report_errors(const std::function<int()>& body, bool json);

/// Whether standard output is a terminal, and NO_COLOR does not forbid it.
bool wants_colour();

/// For a command that people copy.
std::string shell_quoted(const std::string& text);

/// Columns aligned, two spaces between them.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace moblo::cli
