#include <algorithm>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/dual_cone.hpp"
#include "moblo/qp/nn_qp.hpp"

namespace moblo::aggregation {
namespace {

/// UPGrad: each p_i g_i is projected onto the dual cone of the gradients, {d : <g_j, d> >= 0 for all j}; the direction
/// is the sum of the projections.
class UpGrad : public Weighting {
 public:
  using Options = DualConeOptions;

  explicit UpGrad(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    preference_ = numbers_by_task(name, "preference", options_.preference, tasks, 1.0 / static_cast<double>(tasks));
  }

  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::MatrixXd gramian = scaled_gramian(name, step.gramian).values;
    TaskWeights sum = gradient_weights(Eigen::VectorXd::Zero(tasks_), tasks_);
    qp::QpStatus worst = qp::QpStatus::solved;
    for (Eigen::Index i = 0; i < tasks_; ++i) {
      const qp::Solution& projection = solver_.solve(gramian, preference_(i) * Eigen::VectorXd::Unit(tasks_, i));
      qp::refuse_uncertified(projection, std::string(name) + "'s QP");
      sum.shared += projection.weights;
      sum.residual = std::max(sum.residual, projection.kkt_residual);
      worst = std::max(worst, projection.status);
    }
    sum.status = qp::describe(worst);
    return sum;
  }

 private:
  static constexpr const char* name = "UPGrad";

  Options options_;
  Eigen::VectorXd preference_;
  qp::NnQpSolver solver_;
};

}  // namespace

WeightingInfo upgrad_weighting() {
  return make_weighting_info<UpGrad>("upgrad", "each gradient projected to conflict with none, then averaged",
                                     "Quinton, Rey: Jacobian Descent for Multi-Objective Optimization, "
                                     "arXiv:2406.16232");
}

}  // namespace moblo::aggregation
