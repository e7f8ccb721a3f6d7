#include <fmt/format.h>

#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/fair_allocation.hpp"
#include "moblo/base/error.hpp"

namespace moblo::aggregation {
namespace {

/// FairGrad: the direction d = J'w that maximises the alpha-fair utility of the decreases <g_i, d>, which makes
/// <g_i, d> = w_i^(-1/alpha).
class FairGrad : public Weighting {
 public:
  struct Options {
    double alpha = 1;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("alpha", &Options::alpha, "fairness: 1 is proportional fairness, large is max-min", above(0));
        return t;
      }();
      return table;
    }
  };

  explicit FairGrad(const Options& options) : options_(options) {}

  /// In a unit u of length the weights are u^(2 / (1 + 1/alpha)) times larger. Powers of lengths overflow soon: unless
  /// alpha is 1, where there are none, the unit is always chosen. Tasks without a gradient have no fair share; their
  /// heads go on with weight 1.
  TaskWeights weigh(const TaskStep& step) override {
    const ScaledGramian scaled =
        options_.alpha == 1 ? scaled_gramian(name, step.gramian) : scaled_gramian(name, step.gramian, 0);
    const UnitGramian unit(scaled.values);
    Eigen::VectorXd all = Eigen::VectorXd::Ones(tasks_);
    if (unit.rows.empty()) return loss_weights(all);
    const FairAllocation fair = allocate_fairly(unit, options_.alpha);
    if (!fair.certified()) {
      throw Error(ErrorKind::numeric, fmt::format("{}: {} gradients", name, unit.rows.size()),
                  fmt::format("G w = w^(-1/alpha) has no answer that the rounding of G lets be certified (residual "
                              "{:.1e}): the gradients almost cancel, or differ too much in length for alpha {}",
                              fair.residual, options_.alpha),
                  "Stop if the point is Pareto-stationary; else rescale the losses, or take alpha 1");
    }
    all(unit.rows) = fair.weights * std::pow(scaled.unit, -2 / (1 + 1 / options_.alpha));
    TaskWeights weights = loss_weights(all);
    weights.status = fmt::format("{} Newton steps", fair.iterations);
    weights.residual = fair.residual;
    return weights;
  }

 private:
  static constexpr const char* name = "FairGrad";

  Options options_;
};

}  // namespace

WeightingInfo fairgrad_weighting() {
  return make_weighting_info<FairGrad>("fairgrad", "the alpha-fair share of the common decrease for each task",
                                       "Ban, Ji: Fair Resource Allocation in Multi-Task Learning, ICML 2024");
}

}  // namespace moblo::aggregation
