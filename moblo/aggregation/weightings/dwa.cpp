#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"

namespace moblo::aggregation {
namespace {

/// DWA: w = m softmax(r / T), r_i = mean L_i of the last epoch / that of the one before; equal in the first two epochs.
class Dwa : public Weighting {
 public:
  struct Options {
    double temperature = 2;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("temperature", &Options::temperature, "T: large makes the weights equal", above(0));
        return t;
      }();
      return table;
    }
  };

  explicit Dwa(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.gramian = false, .losses = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    epoch_ = steps_ = 0;
    sum_.setZero(tasks);
    last_.resize(0);
    weights_.setOnes(tasks);
  }

  TaskWeights weigh(const TaskStep& step) override {
    refuse_unless_losses("DWA", step.losses, LossBound::positive);
    if (const std::int64_t epoch = step.k / step.epoch_length; epoch != epoch_) begin_epoch(epoch);
    sum_ += step.losses;
    ++steps_;
    return loss_weights(weights_);
  }

  WeightingState save() const override {
    return {.values = {{"epoch", epoch_},
                       {"steps", steps_},
                       {"sum", saved_vector(sum_)},
                       {"last", saved_vector(last_)},
                       {"weights", saved_vector(weights_)}},
            .arrays = {}};
  }
  void restore(const WeightingState& state) override {
    epoch_ = state.values.at("epoch");
    steps_ = state.values.at("steps");
    sum_ = restored_vector(state.values.at("sum"), tasks_);
    last_ = restored_vector_or_none(state.values.at("last"), tasks_);
    weights_ = restored_vector(state.values.at("weights"), tasks_);
  }

 private:
  void begin_epoch(std::int64_t epoch) {
    if (steps_ > 0) {
      const Eigen::VectorXd mean = sum_ / static_cast<double>(steps_);
      if (last_.size() > 0) {
        weights_ = static_cast<double>(tasks_) * softmax(mean.cwiseQuotient(last_) / options_.temperature);
      }
      last_ = mean;
    }
    epoch_ = epoch;
    steps_ = 0;
    sum_.setZero();
  }

  Options options_;
  std::int64_t epoch_ = 0, steps_ = 0;
  Eigen::VectorXd sum_;   // of the losses since the epoch began
  Eigen::VectorXd last_;  // mean of the epoch before; empty in the first
  Eigen::VectorXd weights_;
};

}  // namespace

WeightingInfo dwa_weighting() {
  return make_weighting_info<Dwa>("dwa", "more weight to the losses that fall more slowly from epoch to epoch",
                                  "Liu, Johns, Davison: End-to-End Multi-Task Learning with Attention, CVPR 2019");
}

}  // namespace moblo::aggregation
