#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/trained_scales.hpp"
#include "moblo/aggregation/weightings/unit_gramian.hpp"

namespace moblo::aggregation {
namespace {

enum class Variant { both, gradient, loss };

constexpr auto enum_names(Variant) {
  return std::array{std::pair{"both", Variant::both}, std::pair{"gradient", Variant::gradient},
                    std::pair{"loss", Variant::loss}};
}

constexpr double flat = 1e-12;  // eigenvalues of the cosines below this count as zero
constexpr double projection_tolerance = 1e-10;
/// The published weights sum to one. Where they nearly cancel that would make them endless, and turn the direction
/// round where the sum is negative: their sum is taken to be at least this share of the sum of their sizes.
constexpr double smallest_sum = 1e-2;

struct EqualProjections {
  Eigen::VectorXd weights;  ///< of the unit gradients
  double residual = 0;
};

/// R x = 1. Where the cosines R are singular: the least x; and where there is none, since only 0 has equal projections,
/// x with R x = 0: the limits of (R + delta I)^-1 1, up to length.
EqualProjections equal_projections(const Eigen::MatrixXd& cosines) {
  const Eigen::Index m = cosines.rows();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(m);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(cosines);
  const Eigen::VectorXd along = eigen.eigenvectors().transpose() * ones;
  Eigen::VectorXd solved = Eigen::VectorXd::Zero(m), left = Eigen::VectorXd::Zero(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const double value = eigen.eigenvalues()(k);
    const bool counts = value > flat * static_cast<double>(m);
    (counts ? solved : left)(k) = along(k) / (counts ? value : 1.0);
  }
  const bool solvable = left.lpNorm<Eigen::Infinity>() <= projection_tolerance;
  const Eigen::VectorXd x = eigen.eigenvectors() * (solvable ? solved : left);
  const Eigen::VectorXd off = cosines * x - (solvable ? 1.0 : 0.0) * ones;
  return {x, off.lpNorm<Eigen::Infinity>() / (1 + x.lpNorm<1>())};
}

/// IMTL: losses e^{s_i} L_i - s_i with s trained (IMTL-L), and a direction with equal projections on all unit gradients
/// (IMTL-G).
class Imtl : public Weighting {
 public:
  struct Options {
    Variant variant = Variant::both;
    double step_size = 1e-3;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<Variant>("variant", &Options::variant, "IMTL-G and IMTL-L, or one of them alone");
        t.add<double>("step_size", &Options::step_size, "of the Adam that trains the scales of IMTL-L", above(0));
        return t;
      }();
      return table;
    }
  };

  explicit Imtl(const Options& options) : options_(options), scales_(options.step_size) {}

  WeightingNeeds needs() const override {
    return {.gramian = options_.variant != Variant::loss,
            .losses = options_.variant != Variant::gradient,
            .scale_free = true};
  }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    scales_.start(tasks, 0);
  }

  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::VectorXd scales = scales_.values().array().exp();
    TaskWeights weights = loss_weights(scales);
    if (options_.variant != Variant::loss) balance_gradients(step.gramian, weights);
    if (options_.variant != Variant::gradient) {
      refuse_unless_finite_losses("IMTL", step.losses);
      scales_.descend("IMTL", (scales.array() * step.losses.array() - 1).matrix());
    }
    return weights;
  }

  WeightingState save() const override { return {.values = {{"s", scales_.save()}}, .arrays = {}}; }
  void restore(const WeightingState& state) override { scales_.restore(state.values.at("s")); }

 private:
  /// With the scaled gradients e^{s_i} g_i = h_i: weights alpha_i = x_i / |h_i|, divided by their sum.
  void balance_gradients(const Eigen::MatrixXd& gramian, TaskWeights& weights) const {
    const UnitGramian unit(scaled_gramian("IMTL", gramian).values);
    weights.shared.setZero();
    if (unit.rows.empty()) return;
    const EqualProjections equal = equal_projections(unit.cosines);
    refuse_unless_certified("IMTL's equal projections", equal.residual, projection_tolerance);
    Eigen::VectorXd alpha(equal.weights.size());
    for (Eigen::Index k = 0; k < alpha.size(); ++k) {
      const auto row = unit.rows[static_cast<std::size_t>(k)];
      weights.shared(row) = equal.weights(k) / unit.lengths(k);
      alpha(k) = weights.shared(row) / weights.heads(row);
    }
    weights.shared /= std::max(alpha.sum(), smallest_sum * alpha.lpNorm<1>());
    weights.status = "solved";
    weights.residual = equal.residual;
  }

  Options options_;
  TrainedScales scales_;
};

}  // namespace

WeightingInfo imtl_weighting() {
  return make_weighting_info<Imtl>("imtl", "equal projections on all gradients; losses brought to one scale",
                                   "Liu et al.: Towards Impartial Multi-Task Learning, ICLR 2021");
}

}  // namespace moblo::aggregation
