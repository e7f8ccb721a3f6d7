#pragma once

#include <string>
#include <vector>

#include "lab/report/report.hpp"

namespace moblo::lab::report {

/// What objectives are called: as the problem says, or F1, F2, ... where it does not (and in folders of older
/// versions).
class ObjectiveNames {
 public:
  ObjectiveNames() = default;
  explicit ObjectiveNames(const Manifest& manifest);
  /// Of several runs: the names that all of them have, or F1, F2, ...
  explicit ObjectiveNames(const NamedRuns& runs);

  std::string operator[](std::size_t objective) const;
  const std::vector<std::string>& given() const { return names_; }
  bool operator==(const ObjectiveNames&) const = default;

 private:
  std::vector<std::string> names_;
};

}  // namespace moblo::lab::report
