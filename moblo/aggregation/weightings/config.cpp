#include <fmt/format.h>

#include <algorithm>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/checks.hpp"
#include "moblo/aggregation/weightings/spectrum.hpp"
#include "moblo/aggregation/weightings/unit_gramian.hpp"

namespace moblo::aggregation {
namespace {

/// ConFIG: with E the unit gradients, u the unit vector along E^+ p, so that its cosines with the gradients are in the
/// proportion p, and the direction (sum_i <g_i, u>) u. On the cosines C = EE' it is E^+ p = E'x with x = C^+ p.
class ConFig : public Weighting {
 public:
  struct Options {
    std::vector<double> preference;
    double rank_tolerance = 0;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("preference", &Options::preference, "p, one number per task; empty: 1 each", at_least(0));
        t.add("rank_tolerance", &Options::rank_tolerance,
              "eigenvalues of the cosines below this share of the largest count as zero; those within the rounding of "
              "the Gramian always do",
              at_least_below(0, 1));
        return t;
      }();
      return table;
    }
  };

  explicit ConFig(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.scale_free = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    preference_ = numbers_by_task(name, "preference", options_.preference, tasks, 1);
  }

  TaskWeights weigh(const TaskStep& step) override {
    const UnitGramian unit(scaled_gramian(name, step.gramian).values);
    Eigen::VectorXd shared = Eigen::VectorXd::Zero(tasks_);
    if (unit.rows.empty()) return gradient_weights(shared, tasks_);
    const double rounding = static_cast<double>(unit.rows.size()) * gramian_rounding;
    const Spectrum spectrum = certified_spectrum(name, unit.cosines, std::max(options_.rank_tolerance, rounding));

    // |E^+ p|^2 = sum_k <v_k, p>^2 / lambda_k: zero where no direction has p's proportions, e.g. opposed gradients.
    const Eigen::VectorXd preference = preference_(unit.rows);
    const Eigen::VectorXd coordinates = spectrum.vectors.transpose() * preference;
    const double square = (coordinates.array().square() / spectrum.values.array()).sum();
    if (square > vanishing * preference.squaredNorm()) {
      const Eigen::VectorXd x = spectrum.vectors * coordinates.cwiseQuotient(spectrum.values);
      const Eigen::VectorXd projections = spectrum.vectors * coordinates;  // C x, without its cancellation
      shared(unit.rows) = unit.lengths.dot(projections) / square * x.cwiseQuotient(unit.lengths);
    }
    TaskWeights weights = gradient_weights(shared, tasks_);
    weights.status = fmt::format("rank {}", spectrum.values.size());
    weights.residual = spectrum.residual;
    return weights;
  }

 private:
  static constexpr const char* name = "ConFIG";
  static constexpr double vanishing = 1e-12;

  Options options_;
  Eigen::VectorXd preference_;
};

}  // namespace

WeightingInfo config_weighting() {
  return make_weighting_info<ConFig>("config", "the direction with the same cosine to every gradient",
                                     "Liu, Chu, Thuerey: ConFIG, ICLR 2025");
}

}  // namespace moblo::aggregation
