#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "moblo/aggregation/gramian_scale.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/row_memory.hpp"

namespace moblo::aggregation {
namespace {

/// DB-MTL: b_i <- h_i + beta_k (b_i - h_i) with h_i = grad log L_i and beta_k = beta / (k+1)^beta_sigma, from b = 0;
/// the direction is sum_i b_i max_j |b_j| / |b_i|. The rows become the b_i; the heads follow log L_i.
class DbMtl : public Weighting {
 public:
  struct Options {
    double beta = 0.9;
    double beta_sigma = 0;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("beta", &Options::beta, "share of the past in the moving average", at_least_below(0, 1));
        t.add("beta_sigma", &Options::beta_sigma, "beta falls like (k+1)^-beta_sigma", at_least(0));
        return t;
      }();
      return table;
    }
  };

  explicit DbMtl(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.entries = true, .remembers = true, .losses = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    average_.clear();
  }

  void rewrite(const TaskStep& step, const GradientRows<float>& rows) override { average(step, rows); }
  void rewrite(const TaskStep& step, const GradientRows<double>& rows) override { average(step, rows); }

  TaskWeights weigh(const TaskStep& step) override {
    refuse_unless_losses(name, step.losses, LossBound::non_negative);
    const Eigen::ArrayXd lengths = scaled_gramian(name, step.gramian).values.diagonal().array().sqrt();
    const Eigen::ArrayXd ratios = (lengths > 0).select(lengths.maxCoeff() / lengths, 1);
    return {.shared = ratios, .heads = (step.losses.array() + loss_floor).inverse()};
  }

  WeightingState save() const override { return average_.save(Json::object()); }
  void restore(const WeightingState& state) override { average_.restore(state); }

 private:
  static constexpr const char* name = "DB-MTL";
  static constexpr double loss_floor = 1e-8;

  template <class Scalar>
  void average(const TaskStep& step, const GradientRows<Scalar>& rows) {
    refuse_unless_losses(name, step.losses, LossBound::non_negative);
    const double beta = options_.beta / std::pow(static_cast<double>(step.k + 1), options_.beta_sigma);
    double* past = average_.open(rows);
    refuse_overflow_of_squares(step, rows);
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      const double by_loss = 1 / (step.losses(i) + loss_floor);
      for (std::int64_t j = 0; j < rows.columns; ++j, ++past) {
        const double gradient = by_loss * static_cast<double>(rows.row(i)[j]);
        *past = gradient + beta * (*past - gradient);
        rows.row(i)[j] = static_cast<Scalar>(*past);
      }
    }
  }

  /// Before anything is averaged, for it would stay in the past.
  template <class Scalar>
  void refuse_overflow_of_squares(const TaskStep& step, const GradientRows<Scalar>& rows) const {
    const double longest = std::min(longest_length, static_cast<double>(std::numeric_limits<Scalar>::max()));
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      const Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> row(rows.row(i), rows.columns);
      const double length = static_cast<double>(row.stableNorm()) / (step.losses(i) + loss_floor);
      if (!(length <= longest)) refuse_overflow(name, fmt::format("the square of grad log L_{}", i + 1));
    }
  }

  Options options_;
  RowMemory average_{name, "average"};  // b
};

}  // namespace

WeightingInfo dbmtl_weighting() {
  return make_weighting_info<DbMtl>("dbmtl", "averaged gradients of the log losses, all as long as the longest",
                                    "Lin et al.: Dual-Balancing for Multi-Task Learning, arXiv:2308.12029");
}

}  // namespace moblo::aggregation
