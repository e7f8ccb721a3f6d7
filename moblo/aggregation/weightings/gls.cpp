#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"

namespace moblo::aggregation {
namespace {

/// GLS: the geometric mean of the losses, whose derivative by L_i is GLS / (m L_i).
class GeometricLoss : public Weighting {
 public:
  struct Options {
    static const OptionTable<Options>& table() {
      static const OptionTable<Options> none;
      return none;
    }
  };

  explicit GeometricLoss(const Options&) {}

  WeightingNeeds needs() const override { return {.gramian = false, .losses = true}; }

  TaskWeights weigh(const TaskStep& step) override {
    refuse_unless_losses("GLS", step.losses, LossBound::positive);
    const double mean = std::exp(step.losses.array().log().mean());
    return loss_weights(mean / static_cast<double>(tasks_) * step.losses.cwiseInverse());
  }
};

}  // namespace

WeightingInfo gls_weighting() {
  return make_weighting_info<GeometricLoss>("gls", "the geometric mean of the losses",
                                            "Chennupati et al.: MultiNet++, CVPR 2019 workshops");
}

}  // namespace moblo::aggregation
