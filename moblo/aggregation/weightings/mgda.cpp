#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
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

  WeightingNeeds needs() const override { return {.losses = by_loss(), .scale_free = !by_length()}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    solver_.forget();
  }

  /// sum_i lambda_i g_i / n_i with lambda on the simplex: the coefficients of g_i are lambda_i / n_i.
  TaskWeights weigh(const TaskStep& step) override {
    if (by_loss()) refuse_unless_finite_losses("MGDA", step.losses);
    const ScaledGramian scaled = scaled_gramian("MGDA", step.gramian);
    const Eigen::VectorXd scale = scales(scaled.values, step.losses);
    const qp::Solution& solution = solver_.solve(scale.asDiagonal() * scaled.values * scale.asDiagonal());
    qp::refuse_uncertified(solution, "MGDA's min-norm QP");
    TaskWeights weights = gradient_weights(scale.cwiseProduct(solution.weights), tasks_);
    if (by_length()) weights.shared /= scaled.unit;
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
  bool by_length() const {
    return options_.normalise == Normalisation::l2 || options_.normalise == Normalisation::loss_l2;
  }
  bool by_loss() const {
    return options_.normalise == Normalisation::loss || options_.normalise == Normalisation::loss_l2;
  }

  /// 1 / n_i; a gradient or loss of zero stays as it is, for then task i is stationary and lambda goes to it.
  Eigen::VectorXd scales(const Eigen::MatrixXd& gramian, const Eigen::VectorXd& losses) const {
    Eigen::VectorXd size = Eigen::VectorXd::Ones(tasks_);
    for (Eigen::Index i = 0; i < tasks_; ++i) {
      if (by_length()) size(i) *= std::sqrt(gramian(i, i));
      if (by_loss()) size(i) *= losses(i);
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
