#include <fmt/format.h>
#include <torch/torch.h>

#include "cli/verbs.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/experiment/runner.hpp"

namespace moblo::cli {

int version_verbose() {
  set_threads(0);
  fmt::print("moblo {}\n", version());
  const Json process = describe_process();
  for (const auto& [key, value] : process.items()) {
    fmt::print("  {:<18} {}\n", key, value.is_string() ? value.get<std::string>() : value.dump());
  }
  return 0;
}

}  // namespace moblo::cli
