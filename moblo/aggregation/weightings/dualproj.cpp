#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/dual_cone.hpp"
#include "moblo/qp/nn_qp.hpp"

namespace moblo::aggregation {
namespace {

/// DualProj: sum_i p_i g_i projected onto the dual cone of the gradients, {d : <g_j, d> >= 0 for all j}.
class DualProjection : public Weighting {
 public:
  using Options = DualConeOptions;

  explicit DualProjection(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    preference_ = numbers_by_task(name, "preference", options_.preference, tasks, 1.0 / static_cast<double>(tasks));
  }

  TaskWeights weigh(const TaskStep& step) override {
    const qp::Solution& projection = solver_.solve(scaled_gramian(name, step.gramian).values, preference_);
    qp::refuse_uncertified(projection, std::string(name) + "'s QP");
    TaskWeights weights = gradient_weights(projection.weights, tasks_);
    weights.status = qp::describe(projection.status);
    weights.residual = projection.kkt_residual;
    return weights;
  }

 private:
  static constexpr const char* name = "DualProj";

  Options options_;
  Eigen::VectorXd preference_;
  qp::NnQpSolver solver_;
};

}  // namespace

WeightingInfo dualproj_weighting() {
  return make_weighting_info<DualProjection>("dualproj", "the mean gradient projected to conflict with none",
                                             "Lopez-Paz, Ranzato: Gradient Episodic Memory for Continual Learning, "
                                             "NeurIPS 2017");
}

}  // namespace moblo::aggregation
