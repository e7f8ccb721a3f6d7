#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/trained_scales.hpp"

namespace moblo::aggregation {
namespace {

/// GradNorm: with n_i = w_i |g_i|, mean n, and r_i = (L_i / L_i(0)) over its mean, w descends on
/// sum_i |n_i - n r_i^alpha|, the targets held fixed. w = m softmax(s) keeps the weights positive and their sum m.
class GradNorm : public Weighting {
 public:
  struct Options {
    double alpha = 1.5;
    double step_size = 0.025;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("alpha", &Options::alpha, "how strongly slow tasks are pulled back to the common rate", at_least(0));
        t.add("step_size", &Options::step_size, "of Adam on the logits of the weights", above(0));
        return t;
      }();
      return table;
    }
  };

  explicit GradNorm(const Options& options) : options_(options), logits_(options.step_size) {}

  WeightingNeeds needs() const override { return {.losses = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    logits_.start(tasks, 0);
    first_losses_.resize(0);
  }

  TaskWeights weigh(const TaskStep& step) override {
    refuse_unless_losses("GradNorm", step.losses, LossBound::positive);
    refuse_unless_gramian("GradNorm", step.gramian);
    const Eigen::VectorXd first = first_losses_.size() == 0 ? step.losses : first_losses_;
    const Eigen::VectorXd weights = static_cast<double>(tasks_) * softmax(logits_.values());
    logits_.descend("GradNorm", logit_slope(weights, step, first));
    first_losses_ = first;
    return loss_weights(weights);
  }

  WeightingState save() const override {
    return {.values = {{"logits", logits_.save()}, {"first", saved_vector(first_losses_)}}, .arrays = {}};
  }
  void restore(const WeightingState& state) override {
    logits_.restore(state.values.at("logits"));
    first_losses_ = restored_vector_or_none(state.values.at("first"), tasks_);
  }

 private:
  /// d/dw_i = sign(n_i - target_i) |g_i|, and through the softmax w_i (d/dw_i - <w, d/dw> / m).
  Eigen::VectorXd logit_slope(const Eigen::VectorXd& weights, const TaskStep& step,
                              const Eigen::VectorXd& first) const {
    const Eigen::ArrayXd lengths = step.gramian.diagonal().array().sqrt();
    const Eigen::ArrayXd scaled = weights.array() * lengths;
    const Eigen::ArrayXd progress = step.losses.array() / first.array();
    const Eigen::ArrayXd target = scaled.mean() * (progress / progress.mean()).pow(options_.alpha);
    const Eigen::ArrayXd slope = (scaled - target).sign() * lengths;
    return weights.array() * (slope - (weights.array() * slope).mean());
  }

  Options options_;
  TrainedScales logits_;          // s
  Eigen::VectorXd first_losses_;  // L(0)
};

}  // namespace

WeightingInfo gradnorm_weighting() {
  return make_weighting_info<GradNorm>("gradnorm",
                                       "trained weights that make the gradients equally long, slow tasks longer",
                                       "Chen et al.: GradNorm, ICML 2018");
}

}  // namespace moblo::aggregation
