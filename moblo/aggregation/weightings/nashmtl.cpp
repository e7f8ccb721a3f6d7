#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/unit_gramian.hpp"

namespace moblo::aggregation {
namespace {

constexpr double equation_tolerance = 1e-10;
constexpr int most_steps = 500;

/// max_i |y_i (R y)_i - 1| over the root of the terms that are summed: rounding moves it by epsilon times the terms,
/// yet where there is no solution, and y runs away, it must not look small beside them.
double bargaining_residual(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& y) {
  const Eigen::VectorXd off = y.cwiseProduct(matrix * y).array() - 1;
  const Eigen::VectorXd terms = y.cwiseProduct(matrix.cwiseAbs() * y).array() + 1;
  return off.cwiseQuotient(terms.cwiseSqrt()).lpNorm<Eigen::Infinity>();
}

/// R y = 1/y, y > 0: the minimum of 1/2 y'Ry - sum log y, which is self-concordant. Hence a step of 1 / (1 + decrement)
/// stays positive and descends from anywhere: no line search.
Eigen::VectorXd bargain(const Eigen::MatrixXd& matrix, Eigen::VectorXd y) {
  double best = bargaining_residual(matrix, y);
  for (int step = 0; step < most_steps; ++step) {
    const Eigen::VectorXd gradient = matrix * y - y.cwiseInverse();
    Eigen::MatrixXd hessian = matrix;
    hessian.diagonal() += y.cwiseAbs2().cwiseInverse();
    const Eigen::VectorXd newton = hessian.ldlt().solve(gradient);
    const double decrement = std::sqrt(std::max(newton.dot(gradient), 0.0));
    const double length = decrement < 0.25 ? 1 : 1 / (1 + decrement);
    const Eigen::VectorXd moved = y - length * newton;
    if (!(moved.minCoeff() > 0) || !moved.allFinite()) return y;
    const double residual = bargaining_residual(matrix, moved);
    if (length == 1 && best <= equation_tolerance && residual >= best) return y;  // rounding is all that is left
    y = moved;
    best = residual;
  }
  return y;
}

/// |G|_F^1/2. The squares of the entries overflow long before these do.
double root_of_norm(const Eigen::MatrixXd& gramian) {
  const int half = std::ilogb(gramian.cwiseAbs().maxCoeff()) / 2;
  return std::ldexp(std::sqrt((std::ldexp(1.0, -2 * half) * gramian).norm()), half);
}

/// Nash-MTL: G a = 1/a, so that no task could gain a larger share than others would lose.
class NashMtl : public Weighting {
 public:
  struct Options {
    double clip = 1;
    double ridge = 1e-8;
    std::int64_t every = 1;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<double>("clip", &Options::clip, "largest length of the shared direction; 0 = any", at_least(0));
        t.add<double>("ridge", &Options::ridge,
                      "added to the squares of the unit gradients: bounds the weights where gradients cancel",
                      within(0, 1));
        t.add<std::int64_t>("every", &Options::every, "steps between two bargains", at_least(1));
        return t;
      }();
      return table;
    }
  };

  explicit NashMtl(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = options_.clip == 0}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    shares_.setOnes(tasks);
    weights_.setOnes(tasks);
  }

  TaskWeights weigh(const TaskStep& step) override {
    const ScaledGramian scaled = scaled_gramian("Nash-MTL", step.gramian);
    if (step.k % options_.every == 0) renew(scaled.values);
    TaskWeights weights = loss_weights(weights_);
    const double length = std::sqrt(std::max(weights_.dot(scaled.values * weights_), 0.0)) * scaled.unit;
    if (options_.clip > 0 && length > options_.clip) weights.shared *= options_.clip / length;
    weights.status = "solved";
    weights.residual = residual_;
    return weights;
  }

  WeightingState save() const override {
    return {.values = {{"shares", saved_vector(shares_)}, {"weights", saved_vector(weights_)}, {"residual", residual_}},
            .arrays = {}};
  }
  void restore(const WeightingState& state) override {
    shares_ = restored_vector(state.values.at("shares"), tasks_);
    weights_ = restored_vector(state.values.at("weights"), tasks_);
    residual_ = state.values.at("residual").get<double>();
  }

 private:
  /// On unit gradients, so that lengths do not enter the solve: a_i = y_i |G|_F^1/2 / |g_i| solves (G/|G|_F) a = 1/a. A
  /// task without a gradient has nothing to bargain for: it keeps the weight that it had.
  void renew(const Eigen::MatrixXd& gramian) {
    UnitGramian unit(gramian);
    if (unit.rows.empty()) return;
    unit.cosines.diagonal().array() += options_.ridge;
    const Eigen::VectorXd y = bargain(unit.cosines, shares_(unit.rows));
    const double residual = bargaining_residual(unit.cosines, y);
    refuse_unless_certified("Nash-MTL's G a = 1/a", residual, equation_tolerance);
    const double root = root_of_norm(gramian);
    shares_(unit.rows) = y;
    weights_(unit.rows) = root * y.cwiseQuotient(unit.lengths);
    residual_ = residual;
  }

  Options options_;
  Eigen::VectorXd shares_;   // y, where the next solve starts
  Eigen::VectorXd weights_;  // a
  double residual_ = 0;
};

}  // namespace

WeightingInfo nashmtl_weighting() {
  return make_weighting_info<NashMtl>("nashmtl", "the bargaining solution: equal relative gains",
                                      "Navon et al.: Multi-Task Learning as a Bargaining Game, ICML 2022");
}

}  // namespace moblo::aggregation
