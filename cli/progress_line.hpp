#pragma once

#include <string>

#include "moblo/base/clock.hpp"

namespace moblo::cli {

/// One line on standard error that is redrawn on a terminal; elsewhere, plain lines now and then. Says nothing where
/// `quiet`.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);

  bool quiet() const { return quiet_; }
  bool on_terminal() const { return terminal_; }
  /// Whether the next line may be shown; asked first, so that nobody formats what nobody sees.
  bool is_due() const;
  /// Replaces the line on a terminal, cut to its width; adds a line elsewhere.
  void show(std::string text);
  /// A line that stays, above the one that is redrawn.
  void say_for_good(const std::string& text) const;
  /// The redrawn line goes.
  void clear() const;

 private:
  bool quiet_, terminal_;
  base::Stopwatch watch_;
  double last_shown_ = 0;
};

}  // namespace moblo::cli
