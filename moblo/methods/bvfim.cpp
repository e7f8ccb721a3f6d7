#include "moblo/methods/bvfim.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/gradients/value_function.hpp"
#include "moblo/gradients/weighted_loss.hpp"
#include "moblo/methods/diagnostics.hpp"

namespace moblo {
namespace {

double squared_norm(const torch::Tensor& x) {
  return torch::dot(x, x).item().toDouble();
}

}  // namespace

StepRecord Bvfim::step(const StepContext& context) {
  auto& problem = context.problem;
  auto& lower = problem.lower();
  const SlicesOpen slices(problem.upper());
  const double share = 1.0 / static_cast<double>(objectives_);
  const double r = 1 / std::log(1.1 * static_cast<double>(context.k + 1));
  const bool fresh = options_.inner_batches == InnerBatches::fresh;

  const Batch value_batch = problem.lower_batches().at(problem.lower_batches().position());
  const auto z = descend(problem, {.upper = 0, .lower = 1, .ridge = options_.value_ridge * r}, lower.values(),
                         {options_.inner_steps, options_.inner_step_size, fresh});
  const double f_omega = lower_loss_at(problem, lower.values(), value_batch),
               f_solved = lower_loss_at(problem, z, value_batch);
  const double f_z = f_solved + options_.value_ridge * r * squared_norm(z);
  if (!std::isfinite(f_z)) throw NotFinite(fmt::format("f(alpha, z) = {} after the lower loop", f_z));
  if (options_.barrier_offset + f_z <= 0) {
    throw Error(ErrorKind::numeric, fmt::format("f(alpha, z) = {}", f_z), "BVFIM's barrier needs a lower loss above -C",
                "Add a constant to the lower loss, or raise barrier_offset");
  }
  const double c = options_.barrier * r / (options_.barrier_offset + f_z);
  context.timer.lap("lower loop");

  const double ridge = options_.model_ridge * r;
  const auto y = descend(problem, {.upper = share, .lower = c, .ridge = ridge}, lower.values(),
                         {options_.model_steps, options_.model_step_size, fresh});
  context.timer.lap("model steps");

  ValueGap gap;
  std::vector<double> losses;
  InnerSolve from_z;  // no steps: grad q = (grad_alpha f(y) - grad_alpha f(z), grad_omega f(y))
  from_z.steps = 0;
  from_z.from_current = false;
  from_z.start = z;
  {
    const BoundElsewhere at_y(lower, y);
    gap = value_function_gradient(problem, from_z, objectives_, matrix_, context.timer);
    losses = upper_jacobian(problem, problem.upper_batches().next(), matrix_);
  }
  const Eigen::MatrixXd gramian = matrix_.gramian();
  refuse_not_finite(losses, f_omega, gap.lower_loss, gramian);
  Eigen::VectorXd coefficients = Eigen::VectorXd::Constant(objectives_ + 1, share);
  coefficients(objectives_) = c;
  const auto gradient = matrix_.combine(coefficients);
  const std::int64_t upper = matrix_.upper_columns();
  gradient.narrow(0, upper, y.numel()).add_(y, 2 * ridge);

  StepRecord record;
  record.k = context.k;
  record.losses = losses;
  record.lower_loss = f_omega;
  record.q = f_omega - f_solved;
  record.kkt = squared_length(gradient);
  record.weights.assign(static_cast<std::size_t>(objectives_), share);
  record.nu = c;
  describe_gradients(gramian, objectives_, record);
  context.timer.lap("upper gradients");

  context.updater.update_upper(-gradient.narrow(0, 0, upper));
  context.updater.replace_lower(y);
  context.timer.lap("update");
  return record;
}

Snapshot Bvfim::save() const {
  Snapshot state;
  state.values["objectives"] = objectives_;
  return state;
}

void Bvfim::restore(const Snapshot& state) {
  objectives_ = state.values.at("objectives").get<std::int64_t>();
}

std::unique_ptr<Method> make_bvfim(const Json& options) {
  BvfimOptions read;
  BvfimOptions::table().read(options, read, {});
  return std::make_unique<Bvfim>(read);
}

}  // namespace moblo
