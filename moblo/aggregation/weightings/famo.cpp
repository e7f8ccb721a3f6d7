#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/trained_scales.hpp"

namespace moblo::aggregation {
namespace {

/// FAMO: z = softmax(xi), D = L - L_min, weights z_i / (c D_i) with c = sum_j z_j / D_j. After the step
/// delta = log D - log D_after, and xi descends along z (delta - <z, delta>): the task that fell least gains.
class Famo : public Weighting {
 public:
  struct Options {
    double step_size = 0.025;
    double gamma = 0.001;
    std::vector<double> min_losses;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("step_size", &Options::step_size, "of Adam on the logits xi", above(0));
        t.add("gamma", &Options::gamma, "decay of the logits towards equal weights", at_least(0));
        t.add("min_losses", &Options::min_losses, "the lowest possible losses, one per task; empty: 0 each");
        return t;
      }();
      return table;
    }
  };

  explicit Famo(const Options& options) : options_(options), logits_(options.step_size) {}

  WeightingNeeds needs() const override { return {.gramian = false, .losses = true, .losses_after = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    lowest_ = numbers_by_task(name, "min_losses", options_.min_losses, tasks, 0);
    logits_.start(tasks, 0);
    before_.setOnes(tasks);
  }

  TaskWeights weigh(const TaskStep& step) override {
    before_ = above_lowest(step.losses);
    const Eigen::VectorXd shares = softmax(logits_.values()).cwiseQuotient(before_);
    return loss_weights(shares / shares.sum());
  }

  void observe_after(const Eigen::VectorXd& losses) override {
    const Eigen::ArrayXd decrease = (before_.array() / above_lowest(losses).array()).log();
    const Eigen::ArrayXd share = softmax(logits_.values());
    const Eigen::ArrayXd slope = share * (decrease - (share * decrease).sum());
    logits_.descend(name, slope + options_.gamma * logits_.values().array());
  }

  WeightingState save() const override {
    return {.values = {{"logits", logits_.save()}, {"before", saved_vector(before_)}}, .arrays = {}};
  }
  void restore(const WeightingState& state) override {
    logits_.restore(state.values.at("logits"));
    before_ = restored_vector(state.values.at("before"), tasks_);
  }

 private:
  static constexpr const char* name = "FAMO";
  static constexpr double loss_floor = 1e-8;

  Eigen::VectorXd above_lowest(const Eigen::VectorXd& losses) const {
    const Eigen::VectorXd above = losses - lowest_;
    refuse_unless_losses("FAMO (less min_losses)", above, LossBound::non_negative);
    return above.array() + loss_floor;
  }

  Options options_;
  TrainedScales logits_;    // xi
  Eigen::VectorXd lowest_;  // L_min
  Eigen::VectorXd before_;  // D of the step under way
};

}  // namespace

WeightingInfo famo_weighting() {
  return make_weighting_info<Famo>("famo", "equal rates of decrease of the log losses, from the losses alone",
                                   "Liu et al.: FAMO, NeurIPS 2023");
}

}  // namespace moblo::aggregation
