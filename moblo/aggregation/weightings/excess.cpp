#include <fmt/format.h>

#include "moblo/aggregation/saved_vector.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"
#include "moblo/aggregation/weightings/row_memory.hpp"

namespace moblo::aggregation {
namespace {

/// ExcessMTL: the excess risk of task i is estimated as e_i = sum_c g_ic^2 / sqrt(s_ic + 1e-7), s the sum of all g^2 so
/// far; after the first step w_i <- w_i exp(eta e_i / e_i(0)), rescaled to the sum m.
class ExcessMtl : public Weighting {
 public:
  struct Options {
    double robust_step_size = 0.01;

    static const OptionTable<Options>& table() {
      static const auto table = [] {
        OptionTable<Options> t;
        t.add("robust_step_size", &Options::robust_step_size, "eta, of the exponentiated gradient", above(0));
        return t;
      }();
      return table;
    }
  };

  explicit ExcessMtl(const Options& options) : options_(options) {}

  WeightingNeeds needs() const override { return {.entries = true, .remembers = true}; }

  void start(Eigen::Index tasks) override {
    Weighting::start(tasks);
    logits_.setZero(tasks);
    first_excess_.setZero(tasks);
    excess_.setZero(tasks);
    squares_.clear();
  }

  /// Only looks: the rows stay as they are.
  void rewrite(const TaskStep&, const GradientRows<float>& rows) override { estimate(rows); }
  void rewrite(const TaskStep&, const GradientRows<double>& rows) override { estimate(rows); }

  /// The first excess above 0 is the unit of a task: a zero gradient must not divide.
  TaskWeights weigh(const TaskStep&) override {
    for (Eigen::Index i = 0; i < tasks_; ++i) {
      if (first_excess_(i) > 0) {
        logits_(i) += options_.robust_step_size * excess_(i) / first_excess_(i);
      } else {
        first_excess_(i) = excess_(i);
      }
    }
    return loss_weights(static_cast<double>(tasks_) * softmax(logits_));
  }

  WeightingState save() const override {
    return squares_.save({{"logits", saved_vector(logits_)}, {"first_excess", saved_vector(first_excess_)}});
  }
  void restore(const WeightingState& state) override {
    logits_ = restored_vector(state.values.at("logits"), tasks_);
    first_excess_ = restored_vector(state.values.at("first_excess"), tasks_);
    squares_.restore(state);
  }

 private:
  static constexpr const char* name = "ExcessMTL";

  template <class Scalar>
  void estimate(const GradientRows<Scalar>& rows) {
    double* sum = squares_.open(rows);
    refuse_unless_squares(rows, sum);
    excess_.setZero(tasks_);
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      for (std::int64_t j = 0; j < rows.columns; ++j, ++sum) {
        const double entry = static_cast<double>(rows.row(i)[j]);
        *sum += entry * entry;
        excess_(i) += entry * entry / std::sqrt(*sum + 1e-7);
      }
    }
  }

  /// Before anything is added: a sum of squares that overflowed would stay.
  template <class Scalar>
  static void refuse_unless_squares(const GradientRows<Scalar>& rows, const double* sum) {
    for (std::int64_t i = 0; i < rows.rows; ++i) {
      double total = 0;
      for (std::int64_t j = 0; j < rows.columns; ++j, ++sum) {
        const double entry = static_cast<double>(rows.row(i)[j]);
        total += *sum + entry * entry;
      }
      if (!std::isfinite(total)) refuse_overflow(name, fmt::format("the squares of gradient {}", i + 1));
    }
  }

  Options options_;
  Eigen::VectorXd logits_;              // log w, up to a constant
  Eigen::VectorXd first_excess_;        // e(0)
  Eigen::VectorXd excess_;              // of this step
  RowMemory squares_{name, "squares"};  // s
};

}  // namespace

WeightingInfo excess_weighting() {
  return make_weighting_info<ExcessMtl>("excess", "more weight to tasks that are further from their own optimum",
                                        "He et al.: Robust Multi-Task Learning with Excess Risks, ICML 2024");
}

}  // namespace moblo::aggregation
