#include "moblo/gradients/gradient_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/gradients/contract.hpp"
#include "moblo/gradients/lower_rows.hpp"
#include "moblo/gradients/random_state.hpp"

namespace moblo::gradients {
namespace {

using Losses = std::function<std::vector<torch::Tensor>()>;

/// A tensor that losses depend on: memory to perturb, and the leaf to differentiate by.
struct Variable {
  std::string name;
  torch::Tensor memory, leaf;
};

std::vector<Variable> variables(BilevelProblem& problem) {
  std::vector<Variable> all;
  const auto add_level = [&](ParameterPack& pack, const std::string& level) {
    auto pieces = pack.pieces(pack.values());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      all.push_back({fmt::format("{} {}", level, pack.names()[i]), pieces[i].view({-1}), pack.leaves()[i]});
    }
  };
  add_level(problem.upper(), "alpha");
  add_level(problem.lower(), "omega");
  return all;
}

/// Per-sample rows are perturbed in the slice's own leaf, which the losses read while the slices are open.
void add_slices(BilevelProblem& problem, std::vector<Variable>& all) {
  for (const auto& slice : problem.upper().slices()) {
    all.push_back({"alpha " + problem.upper().tables()[slice.table].name, slice.leaf.detach().view({-1}), slice.leaf});
  }
}

std::vector<double> values_of(const Losses& losses) {
  torch::NoGradGuard no_grad;
  std::vector<double> values;
  for (const auto& loss : losses()) values.push_back(loss.item().toDouble());
  return values;
}

std::vector<std::int64_t> chosen_coordinates(std::int64_t size, std::int64_t at_most, Rng& rng) {
  auto order = rng.permutation(size);
  order.resize(static_cast<std::size_t>(std::min(size, at_most)));
  return order;
}

/// Central differences err by h^2 F'''/6 + eps |F| / h: h = eps^(1/3) balances the two.
template <class Scalar>
std::vector<double> central_difference(const Losses& losses, const torch::Tensor& memory, std::int64_t coordinate) {
  auto* at = memory.data_ptr<Scalar>() + coordinate;
  const Scalar x = *at;
  const Scalar h = std::cbrt(std::numeric_limits<Scalar>::epsilon()) * std::max(Scalar(1), std::abs(x));
  *at = x + h;
  const auto up = values_of(losses);
  *at = x - h;
  auto slope = values_of(losses);
  *at = x;
  const volatile Scalar high = x + h, low = x - h;  // the distance that rounding left
  const double distance = static_cast<double>(high) - static_cast<double>(low);
  for (std::size_t i = 0; i < slope.size(); ++i) slope[i] = (up[i] - slope[i]) / distance;
  return slope;
}

std::vector<double> slopes(const Losses& losses, const torch::Tensor& memory, std::int64_t coordinate) {
  return memory.scalar_type() == torch::kFloat64 ? central_difference<double>(losses, memory, coordinate)
                                                 : central_difference<float>(losses, memory, coordinate);
}

double checked_tolerance(const GradientCheckOptions& options, torch::ScalarType type) {
  const double tolerance = options.tolerance.value_or(type == torch::kFloat64 ? 1e-6 : 1e-2);
  if (options.coordinates >= 1 && tolerance > 0 && std::isfinite(tolerance)) return tolerance;
  throw Error(ErrorKind::config,
              fmt::format("check_gradients with coordinates = {}, tolerance = {}", options.coordinates, tolerance),
              "would compare nothing", "Choose coordinates >= 1 and a finite tolerance > 0");
}

}  // namespace

double GradientCheckRow::error() const {
  const double scale = std::max({1.0, std::abs(analytic), std::abs(numeric)});
  const double error = std::abs(analytic - numeric) / scale;
  return std::isfinite(error) ? error : std::numeric_limits<double>::infinity();
}

GradientCheckReport check_gradients(BilevelProblem& problem, const GradientCheckOptions& options) {
  const torch::AutoGradMode with_gradients(true);
  check_contract(problem);
  const double tolerance = checked_tolerance(options, problem.lower().values().scalar_type());
  const Batch upper_batch = problem.upper_batches().at(0), lower_batch = problem.lower_batches().at(0);
  const problem::BuffersKept upper_kept(problem.upper()), lower_kept(problem.lower());
  const problem::SlicesOpen slices(problem.upper());
  const LowerRowsBorrowed rows(problem, [&] { return lower_batch; });
  const auto random_state = torch_random_state();
  const Losses losses = [&] {
    set_torch_random_state(random_state);  // dropout must drop the same units each time
    try {
      auto all = problem.upper_losses(upper_batch);
      all.push_back(problem.lower_loss(lower_batch));
      return all;
    } catch (const std::exception& error) {
      throw Error(ErrorKind::problem, "a loss", fmt::format("cannot be evaluated beside the point: {}", error.what()),
                  "Start where it can");
    }
  };

  auto all = variables(problem);
  const auto at_point = losses();
  add_slices(problem, all);
  Rng rng(options.seed);
  GradientCheckReport report;
  for (const auto& variable : all) {
    std::vector<torch::Tensor> analytic;
    for (const auto& loss : at_point) {
      auto gradient = loss.requires_grad()
                          ? torch::autograd::grad({loss}, {variable.leaf}, {}, /*retain_graph=*/true, false, true)[0]
                          : torch::Tensor();
      analytic.push_back(gradient.defined() ? gradient.contiguous().view({-1}) : torch::zeros_like(variable.memory));
    }
    std::vector<GradientCheckRow> worst(at_point.size());
    for (const auto coordinate : chosen_coordinates(variable.memory.numel(), options.coordinates, rng)) {
      const auto numeric = slopes(losses, variable.memory, coordinate);
      for (std::size_t i = 0; i < numeric.size(); ++i) {
        const std::string name = i + 1 < numeric.size() ? fmt::format("F_{}", i + 1) : "f";
        GradientCheckRow row{name, variable.name, coordinate, analytic[i][coordinate].item().toDouble(), numeric[i]};
        if (worst[i].loss.empty() || row.error() > worst[i].error()) worst[i] = row;
        report.largest_error = std::max(report.largest_error, row.error());
        ++report.compared;
      }
    }
    report.worst.insert(report.worst.end(), worst.begin(), worst.end());
  }
  set_torch_random_state(random_state);
  report.passed = report.largest_error <= tolerance;
  return report;
}

}  // namespace moblo::gradients
