#include "moblo/methods/diagnostics.hpp"

#include <fmt/format.h>

#include <cmath>

#include "moblo/base/error.hpp"

namespace moblo::methods {

void refuse_not_finite(const std::vector<double>& losses, double lower_loss, double reached_loss,
                       const Eigen::MatrixXd& gramian) {
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (!std::isfinite(losses[i])) throw NotFinite(fmt::format("F_{} = {}", i + 1, losses[i]));
  }
  if (!std::isfinite(lower_loss)) throw NotFinite(fmt::format("f(alpha, omega) = {}", lower_loss));
  if (!std::isfinite(reached_loss))
    throw NotFinite(fmt::format("f(alpha, w~) = {} after the lower loop", reached_loss));
  for (Eigen::Index i = 0; i < gramian.rows(); ++i) {
    if (std::isfinite(gramian(i, i))) continue;
    const bool objective = static_cast<std::size_t>(i) < losses.size();
    throw NotFinite(objective ? fmt::format("the gradient of F_{}", i + 1) : "the gradient of q");
  }
}

void refuse_other_objectives(const Snapshot& state, std::int64_t objectives) {
  const auto stored = state.values.at("objectives").get<std::int64_t>();
  if (stored == objectives) return;
  throw Error(ErrorKind::checkpoint, fmt::format("{} objectives in the checkpoint", stored),
              fmt::format("the problem has {}", objectives), "Resume with the problem that the run was started with");
}

void describe_gradients(const Eigen::MatrixXd& gramian, std::int64_t objectives, StepRecord& record) {
  const Eigen::VectorXd norms = gramian.diagonal().cwiseSqrt();
  record.gradient_norms.assign(norms.begin(), norms.end());
  for (Eigen::Index i = 0; i < objectives; ++i) {
    for (Eigen::Index j = i + 1; j < objectives; ++j) {
      const double lengths = norms(i) * norms(j);
      record.conflict_cosines.push_back(lengths > 0 ? gramian(i, j) / lengths : 0);
    }
  }
}

double squared_length(const torch::Tensor& direction) {
  const double length = torch::dot(direction, direction).item().toDouble();
  if (!std::isfinite(length)) throw NotFinite("the update direction");
  return length;
}

StepRecord point_record(const std::vector<double>& losses, double lower_loss, double reached_loss,
                        const Eigen::MatrixXd& gramian) {
  refuse_not_finite(losses, lower_loss, reached_loss, gramian);
  StepRecord record;
  record.losses = losses;
  record.lower_loss = lower_loss;
  record.q = lower_loss - reached_loss;
  describe_gradients(gramian, static_cast<std::int64_t>(losses.size()), record);
  return record;
}

void set_direction(Measurement& here, gradients::GradientMatrix& matrix, const Eigen::VectorXd& coefficients) {
  const auto direction = matrix.combine(-coefficients);
  here.record.kkt = squared_length(direction);
  const std::int64_t upper = matrix.upper_columns();
  here.upper_direction = direction.narrow(0, 0, upper);
  here.lower_direction = direction.narrow(0, upper, direction.numel() - upper);
}

void move_both(const Measurement& here, const StepContext& context, Updater& updater) {
  updater.update_upper(here.upper_direction);
  updater.update_lower(here.lower_direction);
  context.timer.lap("update");
}

std::vector<double> to_vector(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

}  // namespace moblo::methods
