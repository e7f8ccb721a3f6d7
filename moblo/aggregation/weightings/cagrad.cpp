#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/qp/max_min_ball.hpp"

namespace moblo::aggregation {
namespace {

/// CAGrad: within c |g_0| of the mean gradient g_0, the direction that helps the worst task most.
class CaGrad : public Weighting {
 public:
  struct Options {
    double radius = 0.5;
    bool rescale = true;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<double>("radius", &Options::radius, "c, how far to go from the mean gradient, in its length",
                      at_least(0));
        t.add<bool>("rescale", &Options::rescale, "divide the direction by 1 + c^2");
        return t;
      }();
      return table;
    }
  };

  explicit CaGrad(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true}; }

  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::MatrixXd gramian = scaled_gramian("CAGrad", step.gramian).values;
    const Eigen::VectorXd mean = Eigen::VectorXd::Constant(tasks_, 1.0 / static_cast<double>(tasks_));
    const double length = std::sqrt(std::max(mean.dot(gramian * mean), 0.0));
    const qp::BallAnswer& answer = solver_.solve({gramian, mean, options_.radius * length});
    if (!answer.certified()) qp::refuse_answer(answer.status, answer.kkt_residual, tasks_, "CAGrad's problem");
    const double divisor = options_.rescale ? 1 + options_.radius * options_.radius : 1;
    TaskWeights weights = gradient_weights(answer.coefficients / divisor, tasks_);
    weights.status = qp::describe(answer.status);
    weights.residual = answer.kkt_residual;
    return weights;
  }

 private:
  Options options_;
  qp::MaxMinBallSolver solver_;
};

}  // namespace

WeightingInfo cagrad_weighting() {
  return make_weighting_info<CaGrad>("cagrad", "near the mean gradient, the direction best for the worst task",
                                     "Liu et al.: Conflict-Averse Gradient Descent, NeurIPS 2021");
}

}  // namespace moblo::aggregation
