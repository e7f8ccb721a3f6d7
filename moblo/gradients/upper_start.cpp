#include "moblo/gradients/upper_start.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "moblo/base/error.hpp"
#include "moblo/gradients/losses.hpp"
#include "moblo/gradients/lower_rows.hpp"
#include "moblo/gradients/random_state.hpp"
#include "moblo/gradients/targets.hpp"

namespace moblo::gradients {
namespace {

constexpr const char* option = "inner_start = \"upper\"";

/// Index of the upper parameter of that name and shape. Throws where there is none.
std::size_t namesake(ParameterPack& upper, const std::string& name, c10::IntArrayRef shape) {
  const auto& names = upper.names();
  const auto found = std::find(names.begin(), names.end(), name);
  const auto index = static_cast<std::size_t>(found - names.begin());
  if (found != names.end() && upper.leaves()[index].sizes() == shape) return index;
  throw Error(ErrorKind::problem, option,
              fmt::format("needs an upper parameter named '{}' of shape ({}), at which the lower one starts", name,
                          fmt::join(shape, ", ")),
              "Add it to upper_ under that name, or choose another start of the lower loop");
}

/// Calls each(piece of alpha, piece of omega, whether the latter has one row per task) for every lower parameter.
template <class Each>
void for_each_pair(BilevelProblem& problem, const torch::Tensor& alpha, const torch::Tensor& omega, Each each) {
  auto &upper = problem.upper(), &lower = problem.lower();
  const auto upper_pieces = upper.pieces(alpha), lower_pieces = lower.pieces(omega);
  const std::size_t own = lower_pieces.size() - lower.slices().size();
  for (std::size_t i = 0; i < lower_pieces.size(); ++i) {
    const auto shape = lower_pieces[i].sizes();
    const auto from = namesake(upper, lower.names()[i], i < own ? shape : shape.slice(1));
    each(upper_pieces[from], lower_pieces[i], i >= own);
  }
}

}  // namespace

void refuse_without_upper_start(BilevelProblem& problem) {
  auto &upper = problem.upper(), &lower = problem.lower();
  for (std::size_t i = 0; i < lower.leaves().size(); ++i) {
    namesake(upper, lower.names()[i], lower.leaves()[i].sizes());
  }
  for (const auto& table : lower.tables()) namesake(upper, table.name, table.values.sizes().slice(1));
}

bool lower_loss_reads_alpha(BilevelProblem& problem) {
  auto& upper = problem.upper();
  const problem::BuffersKept upper_kept(upper), lower_kept(problem.lower());
  const LowerRowsBorrowed rows(problem);
  const problem::SlicesOpen slices(upper);
  const auto random_state = torch_random_state();
  auto& batches = problem.lower_batches();
  const auto loss = lower_loss(problem, batches.at(batches.position()));
  set_torch_random_state(random_state);
  const auto gradients = torch::autograd::grad({loss}, leaves_of(upper), {}, false, false, /*allow_unused=*/true);
  return std::any_of(gradients.begin(), gradients.end(), [](const auto& gradient) { return gradient.defined(); });
}

torch::Tensor upper_start(BilevelProblem& problem) {
  const torch::NoGradGuard no_grad;
  auto start = torch::empty_like(problem.lower().values());
  for_each_pair(problem, problem.upper().values(), start,
                [](const torch::Tensor& alpha, torch::Tensor omega, bool) { omega.copy_(alpha.expand_as(omega)); });
  return start;
}

void add_share_of_start(BilevelProblem& problem, const torch::Tensor& v, const torch::Tensor& columns) {
  for_each_pair(problem, columns, v, [](torch::Tensor alpha, const torch::Tensor& omega, bool rows) {
    alpha.add_(rows ? omega.sum(0) : omega);
  });
}

}  // namespace moblo::gradients
