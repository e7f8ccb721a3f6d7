#include "cli/progress_line.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "cli/console.hpp"

namespace moblo::cli {
namespace {

/// Between two looks: on a terminal, and where nobody watches.
constexpr double redraw_seconds = 0.1, line_seconds = 10;

constexpr const char* erase_line = "\r\033[K";

std::size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

bool ProgressLine::is_due() const {
  return !quiet_ && watch_.seconds() - last_shown_ >= (terminal_ ? redraw_seconds : line_seconds);
}

void ProgressLine::show(std::string text) {
  if (quiet_) return;
  last_shown_ = watch_.seconds();
  if (terminal_ && text.size() >= terminal_width()) text.resize(terminal_width() - 1);
  say(terminal_ ? erase_line + text : text + "\n");
  std::fflush(stderr);
}

void ProgressLine::say_for_good(const std::string& text) const {
  if (quiet_) return;
  clear();
  say(text + "\n");
}

void ProgressLine::clear() const {
  if (!quiet_ && terminal_) say(erase_line);
}

}  // namespace moblo::cli
