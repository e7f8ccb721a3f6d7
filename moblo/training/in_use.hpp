#pragma once

#include <mutex>
#include <set>

#include "moblo/base/error.hpp"

namespace moblo::training {

/// A problem or a method in two runs at once, or in a run within its own losses, would be two runs of one state.
class InUse {
 public:
  InUse(const void* what, const char* name) : what_(what) {
    const std::lock_guard lock(mutex());
    if (used().insert(what).second) return;
    throw Error(ErrorKind::usage, name, "is in a run already", "Give each run a problem and a method of its own");
  }
  ~InUse() {
    const std::lock_guard lock(mutex());
    used().erase(what_);
  }
  InUse(const InUse&) = delete;
  InUse& operator=(const InUse&) = delete;

 private:
  static std::mutex& mutex() {
    static std::mutex only;
    return only;
  }
  static std::set<const void*>& used() {
    static std::set<const void*> all;
    return all;
  }
  const void* what_;
};

}  // namespace moblo::training
