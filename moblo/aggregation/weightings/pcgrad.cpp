#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/altered_gradients.hpp"
#include "moblo/aggregation/weightings/checks.hpp"

namespace moblo {
namespace {

/// PCGrad: a gradient that conflicts with another loses its part along it.
class PcGrad : public Weighting {
 public:
  struct Options {
    std::int64_t seed = 0;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<std::int64_t>("seed", &Options::seed, "of the orders; the run's where it is not given", at_least(0));
        return t;
      }();
      return table;
    }
  };

  explicit PcGrad(const Options& options) : seed_(static_cast<std::uint64_t>(options.seed)) {}

  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::MatrixXd& gramian = step.gramian;
    refuse_unless_gramian("PCGrad", gramian);
    const auto removed = [&](Eigen::Index, Eigen::Index j, const Eigen::VectorXd& own) {
      const double product = gramian.col(j).dot(own);
      return product < 0 && gramian(j, j) > 0 ? -product / gramian(j, j) : 0.0;
    };
    Rng rng(derive_seed(seed_, "pcgrad orders", static_cast<std::uint64_t>(step.k)));
    return gradient_weights(sum_of_altered(tasks_, rng, removed), tasks_);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

WeightingInfo pcgrad_weighting() {
  return make_weighting_info<PcGrad>("pcgrad", "gradients projected off those they conflict with, in random order",
                                     "Yu et al.: Gradient Surgery for Multi-Task Learning, NeurIPS 2020");
}

}  // namespace moblo
