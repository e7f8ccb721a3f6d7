#include "moblo/aggregation/moco_weighting.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/base/rng.hpp"

namespace moblo {
namespace {

/// Random loss weighting: softmax of normal numbers, anew each step.
class RandomWeighting : public Weighting {
 public:
  struct Options {
    std::int64_t seed = 0;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<std::int64_t>("seed", &Options::seed, "of the weights; the run's where it is not given", at_least(0));
        return t;
      }();
      return table;
    }
  };

  explicit RandomWeighting(const Options& options) : seed_(static_cast<std::uint64_t>(options.seed)) {}

  WeightingNeeds needs() const override { return {.gramian = false}; }

  TaskWeights weigh(const TaskStep& step) override {
    Rng rng(derive_seed(seed_, "rlw weights", static_cast<std::uint64_t>(step.k)));
    Eigen::VectorXd logits(tasks_);
    for (auto& logit : logits) logit = rng.normal();
    return loss_weights(softmax(logits));
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

WeightingInfo rlw_weighting() {
  return make_weighting_info<RandomWeighting>(
      "rlw", "random weights on the simplex, anew each step",
      "Lin, Ye, Zhang, Tsang: Reasonable Effectiveness of Random Weighting, TMLR 2022");
}

}  // namespace moblo
