#include <cmath>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/qp/min_norm.hpp"

namespace moblo::aggregation {
namespace {

enum class Normalisation { none, l2, loss, loss_l2 };

constexpr auto enum_names(Normalisation) {
  return std::array{std::pair{"none", Normalisation::none}, std::pair{"l2", Normalisation::l2},
                    std::pair{"loss", Normalisation::loss}, std::pair{"loss+", Normalisation::loss_l2}};
}

/// MGDA: the min-norm point of the hull of g_i / n_i.
class Mgda : public Weighting {
 public:
  struct Options {
    Normalisation normalise = Normalisation::none;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<Normalisation>("normalise", &Options::normalise, "n_i: 1, |g_i|, L_i or L_i |g_i|");
        return t;
      }();
      return table;
    }
  };

  explicit Mgda(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override {
    return {.losses = options_.normalise == Normalisation::loss || options_.normalise == Normalisation::loss_l2};
  }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    solver_.forget();
  }

  /// sum_i lambda_i g_i / n_i with lambda on the simplex: the coefficients of g_i are lambda_i / n_i.
  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::VectorXd scale = scales(step);
    const qp::Solution& solution = solver_.solve(scale.asDiagonal() * step.gramian * scale.asDiagonal());
    qp::refuse_uncertified(solution, "MGDA's min-norm QP");
    TaskWeights weights = gradient_weights(scale.cwiseProduct(solution.weights), tasks_);
    weights.status = qp::describe(solution.status);
    weights.residual = solution.kkt_residual;
    return weights;
  }

  WeightingState save() const override {
    return {.values = {{"free_set", solver_.warm_start().free_set}}, .arrays = {}};
  }
  void restore(const WeightingState& state) override {
    solver_.restore({state.values.at("free_set").get<std::vector<int>>(), -1});
  }

 private:
  /// 1 / n_i; a gradient or loss of zero stays as it is, for then task i is stationary and lambda goes to it.
  Eigen::VectorXd scales(const TaskStep& step) const {
    Eigen::VectorXd size = Eigen::VectorXd::Ones(tasks_);
    for (Eigen::Index i = 0; i < tasks_; ++i) {
      if (options_.normalise == Normalisation::l2 || options_.normalise == Normalisation::loss_l2) {
        size(i) *= std::sqrt(step.gramian(i, i));
      }
      if (options_.normalise == Normalisation::loss || options_.normalise == Normalisation::loss_l2) {
        size(i) *= step.losses(i);
      }
      size(i) = size(i) > 0 ? 1 / size(i) : 1;
    }
    return size;
  }

  Options options_;
  qp::MinNormSolver solver_;
};

}  // namespace

WeightingInfo mgda_weighting() {
  return make_weighting_info<Mgda>("mgda", "the shortest vector in the hull of the gradients",
                                   "Desideri: MGDA, C. R. Acad. Sci. Paris 2012; Sener, Koltun: Multi-Task Learning as "
                                   "Multi-Objective Optimization, NeurIPS 2018");
}

}  // namespace moblo::aggregation
