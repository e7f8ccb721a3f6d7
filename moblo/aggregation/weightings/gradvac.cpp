#include <algorithm>
#include <cmath>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/altered_gradients.hpp"
#include "moblo/aggregation/weightings/seeded.hpp"

namespace moblo::aggregation {
namespace {

/// No finite multiple of g_j gives a cosine of 1: targets that crept up to it are met this nearly.
constexpr double largest_target = 1 - 1e-8;

/// GradVac: a gradient less aligned with another than they usually are is turned towards it.
class GradVac : public Weighting {
 public:
  struct Options : SeededOptions {
    double decay = 0.5;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add<double>("decay", &Options::decay, "share of the newest cosine in the moving targets", within(0, 1));
        add_seed_field(t, "of the orders");
        return t;
      }();
      return table;
    }
  };

  explicit GradVac(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    targets_.setZero(tasks * tasks);
  }

  TaskWeights weigh(const TaskStep& step) override {
    const Eigen::MatrixXd gramian = scaled_gramian("GradVac", step.gramian).values;
    const auto turned = [&](Eigen::Index i, Eigen::Index j, const Eigen::VectorXd& own) {
      const double own_length = std::sqrt(std::max(own.dot(gramian * own), 0.0));
      const double other_length = std::sqrt(gramian(j, j));
      if (!(own_length * other_length > 0)) return 0.0;  // there is no cosine: nothing to turn, nothing to learn
      const double cosine = std::clamp(gramian.col(j).dot(own) / own_length / other_length, -1.0, 1.0);
      double& target = targets_(i * tasks_ + j);
      const double wanted = std::min(target, largest_target);
      target = (1 - options_.decay) * target + options_.decay * cosine;  // whether or not the pair is turned
      if (!(cosine < wanted)) return 0.0;
      const double sine = std::sqrt(1 - cosine * cosine), wanted_sine = std::sqrt(1 - wanted * wanted);
      return own_length * (wanted * sine - cosine * wanted_sine) / (other_length * wanted_sine);
    };
    return gradient_weights(sum_of_altered(tasks_, options_.draws("gradvac orders", step.k), turned), tasks_);
  }

  WeightingState save() const override { return {.values = {{"targets", saved_vector(targets_)}}, .arrays = {}}; }
  void restore(const WeightingState& state) override {
    targets_ = restored_vector(state.values.at("targets"), tasks_ * tasks_);
  }

 private:
  Options options_;
  Eigen::VectorXd targets_;  // i, j -> i m + j
};

}  // namespace

WeightingInfo gradvac_weighting() {
  return make_weighting_info<GradVac>("gradvac",
                                      "gradients turned towards the cosines that pairs of tasks usually have",
                                      "Wang, Tsvetkov, Firat, Cao: Gradient Vaccine, ICLR 2021");
}

}  // namespace moblo::aggregation
