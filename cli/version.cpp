#include <fmt/format.h>
#include <torch/torch.h>

#include "cli/verbs.hpp"
#include "lab/experiments/runner.hpp"
#include "moblo/base/runtime.hpp"

namespace moblo::cli {

int version_verbose() {
  lab::experiments::set_threads(0);
  fmt::print("moblo {}\n", version());
  const Json process = lab::experiments::describe_process();
  for (const auto& [key, value] : process.items()) {
    fmt::print("  {:<18} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return 0;
}

}  // namespace moblo::cli
