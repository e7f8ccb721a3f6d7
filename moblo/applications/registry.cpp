#include "moblo/applications/registry.hpp"

#include "moblo/applications/cleaning.hpp"
#include "moblo/applications/double_well.hpp"
#include "moblo/applications/noisy_regression.hpp"
#include "moblo/applications/quadratic.hpp"
#include "moblo/applications/synthetic.hpp"
#include "moblo/applications/task_problems.hpp"

namespace moblo {

std::unique_ptr<BilevelProblem> make_problem(const std::string& name, const Json& options, std::uint64_t seed) {
#define MOBLO_PROBLEM(entry) \
  if (name == #entry) return make_##entry(options, seed);
#include "moblo/applications/catalogue.def"
#undef MOBLO_PROBLEM
  find_problem(name, "make_problem");
  return nullptr;
}

}  // namespace moblo
