#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/seeded.hpp"

namespace moblo::aggregation {
namespace {

/// Random loss weighting: softmax of normal numbers, drawn in each step.
class RandomWeighting : public Weighting {
 public:
  struct Options : SeededOptions {
    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        add_seed_field(t, "of the weights");
        return t;
      }();
      return table;
    }
  };

  explicit RandomWeighting(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.gramian = false}; }

  TaskWeights weigh(const TaskStep& step) override {
    Rng rng = options_.draws("rlw weights", step.k);
    Eigen::VectorXd logits(tasks_);
    for (auto& logit : logits) logit = rng.normal();
    return loss_weights(softmax(logits));
  }

 private:
  Options options_;
};

}  // namespace

WeightingInfo rlw_weighting() {
  return make_weighting_info<RandomWeighting>(
      "rlw", "random weights on the simplex, drawn in each step",
      "Lin, Ye, Zhang, Tsang: Reasonable Effectiveness of Random Weighting, TMLR 2022");
}

}  // namespace moblo::aggregation
