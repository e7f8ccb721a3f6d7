#include <algorithm>
#include <cmath>

#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/seeded.hpp"

namespace moblo::aggregation {
namespace {

/// GradDrop: each coordinate keeps the gradients of one sign, the sign being drawn by how pure it is.
class GradDrop : public Weighting {
 public:
  struct Options : SeededOptions {
    double leak = 0;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<double>("leak", &Options::leak, "share of a dropped entry that passes all the same", within(0, 1));
        add_seed_field(t, "of the draws");
        return t;
      }();
      return table;
    }
  };

  explicit GradDrop(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.entries = true, .scale_free = true}; }
  void rewrite(const TaskStep& step, const GradientRows<float>& rows) override { mask(step.k, rows); }
  void rewrite(const TaskStep& step, const GradientRows<double>& rows) override { mask(step.k, rows); }
  TaskWeights weigh(const TaskStep& step) override {
    refuse_unless_gramian("GradDrop", step.gramian);
    return gradient_weights(Eigen::VectorXd::Ones(tasks_), tasks_);
  }

 private:
  /// P = (1 + sum g / sum |g|) / 2; positive entries stay where P > U, negative ones where P < U. U is never 0 or 1:
  /// entries that all agree stay.
  template <class Scalar>
  void mask(std::int64_t k, const GradientRows<Scalar>& rows) const {
    Rng rng = options_.draws("graddrop draws", k);
    for (std::int64_t column = 0; column < rows.columns; ++column) {
      double sum = 0, sizes = 0;
      for (std::int64_t i = 0; i < rows.rows; ++i) {
        const double entry = static_cast<double>(rows.row(i)[column]);
        sum += entry;
        sizes += std::abs(entry);
      }
      const double draw = std::max(rng.uniform(), 0x1.0p-54);
      const bool positive_stay = (1 + sum / sizes) / 2 > draw;
      if (!(sizes > 0)) continue;
      for (std::int64_t i = 0; i < rows.rows; ++i) {
        Scalar& entry = rows.row(i)[column];
        if ((entry > 0) != positive_stay) entry *= static_cast<Scalar>(options_.leak);
      }
    }
  }

  Options options_;
};

}  // namespace

WeightingInfo graddrop_weighting() {
  return make_weighting_info<GradDrop>("graddrop", "one sign per coordinate, drawn by how the tasks agree on it",
                                       "Chen et al.: Just Pick a Sign, NeurIPS 2020");
}

}  // namespace moblo::aggregation
