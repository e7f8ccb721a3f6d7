#pragma once

#include <optional>
#include <string_view>

#include "moblo/base/export.hpp"

namespace moblo::base {

/// How a run ended; outcomes are data, not log lines.
enum class RunStatus {
  running,
  completed,       ///< all iterations done
  converged,       ///< K(z) and q(z) below their tolerances
  plateau,         ///< no progress for `stop.patience` iterations
  time_limit,      ///< `stop.seconds` used up
  interrupted,     ///< asked to stop; the state is saved
  non_finite,      ///< a loss or gradient was NaN or infinite; the last finite state is saved
  limits_not_met,  ///< all iterations done, and an objective is above its limit; the message says how far
  failed           ///< anything else; the message says what
};

MOBLO_API std::string_view name(RunStatus status);
MOBLO_API std::string_view describe(RunStatus status);
MOBLO_API std::optional<RunStatus> run_status(std::string_view name);

/// A run that may be used: it ended by itself for a reason that was asked for.
MOBLO_API bool succeeded(RunStatus status);

}  // namespace moblo::base

namespace moblo {

using base::RunStatus;
using base::succeeded;

}  // namespace moblo
