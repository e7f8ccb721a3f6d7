#include <fmt/format.h>

#include <algorithm>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/spectrum.hpp"

namespace moblo::aggregation {
namespace {

enum class Scale { min, median, rmse };

constexpr auto enum_names(Scale) {
  return std::array{std::pair{"min", Scale::min}, std::pair{"median", Scale::median}, std::pair{"rmse", Scale::rmse}};
}

/// Aligned-MTL: with G = V Lambda V', B = sigma V Lambda^-1/2 V' turns the gradients J into BJ, whose singular values
/// are all sigma; the direction is J'B p.
class AlignedMtl : public Weighting {
 public:
  struct Options {
    Scale scale = Scale::min;
    std::vector<double> preference;
    double rank_tolerance = 1.2e-7;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("scale", &Options::scale,
              "sigma: the smallest singular value, the lower median, or the root of the mean square");
        t.add("preference", &Options::preference, "p, one number per task; empty: 1 each", at_least(0));
        t.add("rank_tolerance", &Options::rank_tolerance,
              "eigenvalues below this share of m times the largest count as zero", at_least_below(0, 1));
        return t;
      }();
      return table;
    }
  };

  explicit AlignedMtl(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    preference_ = numbers_by_task(name, "preference", options_.preference, tasks, 1);
  }

  TaskWeights weigh(const TaskStep& step) override {
    const ScaledGramian scaled = scaled_gramian(name, step.gramian);
    const double cutoff = static_cast<double>(tasks_) * std::max(options_.rank_tolerance, gramian_rounding);
    const Spectrum spectrum = certified_spectrum(name, scaled.values, cutoff);
    TaskWeights weights = gradient_weights(preference_, tasks_);  // where all gradients are zero
    if (spectrum.values.size() > 0) {
      const Eigen::VectorXd factors = (sigma_squared(spectrum.values) / spectrum.values.array()).sqrt();
      weights.shared = spectrum.vectors * (factors.asDiagonal() * (spectrum.vectors.transpose() * preference_));
    }
    weights.status = fmt::format("rank {}", spectrum.values.size());
    weights.residual = spectrum.residual;
    return weights;
  }

 private:
  static constexpr const char* name = "Aligned-MTL";

  double sigma_squared(const Eigen::VectorXd& falling) const {
    const Eigen::Index rank = falling.size();
    if (options_.scale == Scale::min) return falling(rank - 1);
    return options_.scale == Scale::median ? falling(rank / 2) : falling.mean();
  }

  Options options_;
  Eigen::VectorXd preference_;
};

}  // namespace

WeightingInfo aligned_weighting() {
  return make_weighting_info<AlignedMtl>("aligned", "the gradients with all singular values made equal",
                                         "Senushkin et al.: Independent Component Alignment for Multi-Task Learning, "
                                         "CVPR 2023");
}

}  // namespace moblo::aggregation
