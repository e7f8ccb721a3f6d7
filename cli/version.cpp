#include <fmt/format.h>
#include <torch/torch.h>

#include "cli/verbs.hpp"
#include "lab/clean/trees.hpp"
#include "lab/experiments/runner.hpp"
#include "moblo/base/runtime.hpp"

namespace moblo::cli {

int version_verbose() {
  lab::experiments::set_threads(0);
  fmt::print("moblo {}\n", version());
  Json process = lab::experiments::describe_process();
  const auto trees = lab::clean::trees_version();
  process["xgboost"] = trees.empty() ? "absent: no boosted trees in `moblo clean`" : trees;
  for (const auto& [key, value] : process.items()) {
    fmt::print("  {:<18} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return 0;
}

}  // namespace moblo::cli
