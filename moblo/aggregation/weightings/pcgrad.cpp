#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/altered_gradients.hpp"
#include "moblo/aggregation/weightings/seeded.hpp"

namespace moblo::aggregation {
namespace {

/// PCGrad: a gradient that conflicts with another loses its part along it.
class PcGrad : public Weighting {
 public:
  struct Options : SeededOptions {
    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        add_seed_field(t, "of the orders");
        return t;
      }();
      return table;
    }
  };

  explicit PcGrad(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true}; }

  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::MatrixXd gramian = scaled_gramian("PCGrad", step.gramian).values;
    const auto removed = [&](Eigen::Index, Eigen::Index j, const Eigen::VectorXd& own) {
      const double product = gramian.col(j).dot(own);
      return product < 0 && gramian(j, j) > 0 ? -product / gramian(j, j) : 0.0;
    };
    return gradient_weights(sum_of_altered(tasks_, options_.draws("pcgrad orders", step.k), removed), tasks_);
  }

 private:
  Options options_;
};

}  // namespace

WeightingInfo pcgrad_weighting() {
  return make_weighting_info<PcGrad>("pcgrad", "gradients projected off those they conflict with, in random order",
                                     "Yu et al.: Gradient Surgery for Multi-Task Learning, NeurIPS 2020");
}

}  // namespace moblo::aggregation
