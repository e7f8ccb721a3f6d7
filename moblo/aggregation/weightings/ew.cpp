#include "moblo/aggregation/weighting_catalogue.hpp"

namespace moblo::aggregation {
namespace {

/// Equal weighting: the sum of the losses.
class EqualWeighting : public Weighting {
 public:
  struct Options {
    static const OptionTable<Options>& table() {
      static const OptionTable<Options> none;
      return none;
    }
  };

  explicit EqualWeighting(const Options&) {}

  WeightingNeeds needs() const override { return {.gramian = false}; }
  TaskWeights weigh(const TaskStep&) override { return loss_weights(Eigen::VectorXd::Ones(tasks_)); }
};

}  // namespace

WeightingInfo ew_weighting() {
  return make_weighting_info<EqualWeighting>("ew", "equal weights: the sum of the losses", "");
}

}  // namespace moblo::aggregation
