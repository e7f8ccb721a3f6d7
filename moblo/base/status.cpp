#include "moblo/base/status.hpp"

#include <array>

namespace moblo::base {
namespace {

struct Row {
  RunStatus status;
  std::string_view name, text;
};

constexpr std::array rows{
    Row{RunStatus::running, "running", "is running, or was killed"},
    Row{RunStatus::completed, "completed", "all iterations done"},
    Row{RunStatus::converged, "converged", "K(z) and q(z) fell below their tolerances"},
    Row{RunStatus::plateau, "plateau", "no progress within the patience"},
    Row{RunStatus::time_limit, "time_limit", "the time limit was reached"},
    Row{RunStatus::interrupted, "interrupted", "stopped on request, state saved"},
    Row{RunStatus::non_finite, "non_finite", "a loss or gradient was not finite, last finite state saved"},
    Row{RunStatus::limits_not_met, "limits_not_met", "an objective ended above its limit"},
    Row{RunStatus::failed, "failed", "the run failed"},
};

}  // namespace

std::string_view name(RunStatus status) {
  return rows[static_cast<std::size_t>(status)].name;
}

std::string_view describe(RunStatus status) {
  return rows[static_cast<std::size_t>(status)].text;
}

std::optional<RunStatus> run_status(std::string_view text) {
  for (const auto& row : rows) {
    if (row.name == text) return row.status;
  }
  return std::nullopt;
}

bool succeeded(RunStatus status) {
  return status == RunStatus::completed || status == RunStatus::converged || status == RunStatus::plateau ||
         status == RunStatus::time_limit;
}

}  // namespace moblo::base
