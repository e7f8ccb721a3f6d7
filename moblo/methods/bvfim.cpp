#include "moblo/methods/bvfim.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/gradients/value_function.hpp"
#include "moblo/gradients/weighted_loss.hpp"
#include "moblo/methods/diagnostics.hpp"
#include "moblo/methods/registry.hpp"

namespace moblo::methods {
namespace {

double squared_norm(const torch::Tensor& x) {
  return torch::dot(x, x).item().toDouble();
}

class BvfimSteps : public Method {
 public:
  explicit BvfimSteps(const BvfimOptions& options) : options_(options) {}

  std::string name() const override { return "bvfim"; }
  MethodTraits traits() const override { return {}; }
  void start(BilevelProblem&, std::int64_t objectives) override { objectives_ = objectives; }
  Measurement measure(const StepContext& context) override;
  void move(const Measurement& here, const StepContext& context, Updater& updater) override {
    updater.update_upper(here.upper_direction);
    updater.replace_lower(model_);
    context.timer.lap("update");
  }
  Snapshot save() const override {
    Snapshot state;
    state.values["objectives"] = objectives_;
    return state;
  }
  void restore(const Snapshot& state) override { refuse_other_objectives(state, objectives_); }
  std::optional<Held> holds(std::int64_t objectives) const override {
    return Held{.omegas = objectives + 4};  // rows of F_i and q, z, y, direction
  }

 private:
  BvfimOptions options_;
  std::int64_t objectives_ = 0;
  // scratch, not state
  gradients::GradientMatrix matrix_;
  torch::Tensor model_;  // y
};

Measurement BvfimSteps::measure(const StepContext& context) {
  auto& problem = context.problem;
  auto& lower = problem.lower();
  const double share = 1.0 / static_cast<double>(objectives_);
  const double r = 1 / std::log(1.1 * static_cast<double>(context.k + 1));
  const bool fresh = options_.inner_batches == InnerBatches::fresh;

  const Batch value_batch = problem.lower_batches().at(problem.lower_batches().position());
  const auto z = gradients::descend(problem, {.upper = 0, .lower = 1, .ridge = options_.value_ridge * r},
                                    lower.values(), {options_.inner_steps, options_.inner_step_size, fresh});
  const double f_omega = gradients::lower_loss_at(problem, lower.values(), value_batch),
               f_solved = gradients::lower_loss_at(problem, z, value_batch);
  const double f_z = f_solved + options_.value_ridge * r * squared_norm(z);
  if (!std::isfinite(f_z)) throw NotFinite(fmt::format("f(alpha, z) = {} after the lower loop", f_z));
  if (options_.barrier_offset + f_z <= 0) {
    throw Error(ErrorKind::numeric, fmt::format("f(alpha, z) = {}", f_z), "BVFIM's barrier needs a lower loss above -C",
                "Add a constant to the lower loss, or raise barrier_offset");
  }
  const double c = options_.barrier * r / (options_.barrier_offset + f_z);
  context.timer.lap("lower loop");

  const double ridge = options_.model_ridge * r;
  const auto y = gradients::descend(problem, {.upper = share, .lower = c, .ridge = ridge}, lower.values(),
                                    {options_.model_steps, options_.model_step_size, fresh});
  context.timer.lap("model steps");

  gradients::ValueGap gap;
  std::vector<double> losses;
  InnerSolve from_z;  // no steps: grad q = (grad_alpha f(y) - grad_alpha f(z), grad_omega f(y))
  from_z.steps = 0;
  from_z.from_current = false;
  from_z.start = z;
  {
    const problem::BoundElsewhere at_y(lower, y);
    gap = gradients::value_function_gradient(problem, from_z, objectives_, matrix_, context.timer);
    losses = gradients::upper_jacobian(problem, problem.upper_batches().next(), matrix_);
  }
  const Eigen::MatrixXd gramian = matrix_.gramian();
  refuse_not_finite(losses, f_omega, gap.lower_loss, gramian);
  Eigen::VectorXd coefficients = Eigen::VectorXd::Constant(objectives_ + 1, share);
  coefficients(objectives_) = c;
  const auto gradient = matrix_.combine(coefficients);
  const std::int64_t upper = matrix_.upper_columns();
  gradient.narrow(0, upper, y.numel()).add_(y, 2 * ridge);

  Measurement here;
  here.record = point_record(losses, f_omega, f_solved, gramian);
  here.record.kkt = squared_length(gradient);
  here.record.weights.assign(static_cast<std::size_t>(objectives_), share);
  here.record.nu = c;
  here.upper_direction = -gradient.narrow(0, 0, upper);
  model_ = y;
  context.timer.lap("upper gradients");
  return here;
}

}  // namespace

const OptionTable<BvfimOptions>& BvfimOptions::table() {
  static const auto table = [] {
    using O = BvfimOptions;
    OptionTable<O> t;
    t.add("inner_steps", &O::inner_steps, "steps of z on f(alpha, z) + mu r |z|^2", at_least(0));
    t.add("inner_step_size", &O::inner_step_size, "step size of z", above(0));
    t.add("model_steps", &O::model_steps, "steps of omega on F + theta r |omega|^2 + the barrier", at_least(1));
    t.add("model_step_size", &O::model_step_size, "step size of omega", above(0));
    t.add("inner_batches", &O::inner_batches, "new batches each of these steps, or the same for all of them");
    t.add("value_ridge", &O::value_ridge, "mu, see inner_steps", at_least(0));
    t.add("model_ridge", &O::model_ridge, "theta, see model_steps", at_least(0));
    t.add("barrier", &O::barrier, "sigma, weight of the logarithmic barrier; 0.001 to 1", above(0));
    t.add("barrier_offset", &O::barrier_offset, "C, keeps the barrier's argument positive", above(0));
    return t;
  }();
  return table;
}

Bvfim::Bvfim(const BvfimOptions& options) : BuiltIn(make_checked<BvfimSteps>(options, "bvfim")) {}

MethodInfo bvfim_info() {
  return make_method_info<Bvfim, BvfimOptions>(
      "bvfim", "value-function interior-point method for one objective, here the mean of them all",
      "Liu, Liu, Yuan, Zeng, Zhang: A Value-Function-based Interior-point Method for Non-convex Bi-level Optimization, "
      "ICML 2021");
}

}  // namespace moblo::methods
