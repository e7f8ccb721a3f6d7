#pragma once

#include <functional>
#include <memory>

#include "moblo/base/export.hpp"
#include "moblo/ranks/group.hpp"
#include "moblo/ranks/place.hpp"

namespace moblo::ranks {

constexpr double default_timeout = 300;  // seconds that a rank waits for the others

/// The group of all processes of the run, by torch.distributed over TCP (gloo). Waits until all are there. Throws
/// Error(ranks) where one does not come within the time, and in every later call where one has gone, failed, or does
/// not answer within it; the message names that rank where the others know it.
MOBLO_API std::unique_ptr<Group> connect(const Place& place, double timeout = default_timeout);

/// Calls body(group) in `size` threads of this process, each a rank; the first error that a thread ended with is thrown
/// once all have ended.
MOBLO_API void run_as_threads(int size, const std::function<void(Group&)>& body, double timeout = 30);

}  // namespace moblo::ranks
