#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/trained_scales.hpp"

namespace moblo::aggregation {
namespace {

/// Uncertainty weighting: sum_i L_i / (2 e^{s_i}) + s_i / 2, with s trained beside the model.
class UncertaintyWeighting : public Weighting {
 public:
  struct Options {
    double start = -0.5;
    double step_size = 1e-3;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<double>("start", &Options::start, "s at the beginning, the log of a task's variance");
        t.add<double>("step_size", &Options::step_size, "of the Adam that trains s", above(0));
        return t;
      }();
      return table;
    }
  };

  explicit UncertaintyWeighting(const Options& options) : options_(options), scales_(options.step_size) {}

  WeightingNeeds needs() const override { return {.gramian = false, .losses = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    scales_.start(tasks, options_.start);
  }

  TaskWeights weigh(const TaskStep& step) override {
    refuse_unless_finite_losses("UW", step.losses);
    const Eigen::VectorXd weights = 0.5 * (-scales_.values().array()).exp();
    scales_.descend("UW", (0.5 - step.losses.array() * weights.array()).matrix());
    return loss_weights(weights);
  }

  WeightingState save() const override { return {.values = {{"s", scales_.save()}}, .arrays = {}}; }
  void restore(const WeightingState& state) override { scales_.restore(state.values.at("s")); }

 private:
  Options options_;
  TrainedScales scales_;
};

}  // namespace

WeightingInfo uw_weighting() {
  return make_weighting_info<UncertaintyWeighting>(
      "uw", "each loss over twice its trained variance",
      "Kendall, Gal, Cipolla: Multi-Task Learning Using Uncertainty to Weigh Losses, CVPR 2018");
}

}  // namespace moblo::aggregation
