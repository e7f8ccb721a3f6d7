#pragma once

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "moblo/base/rng.hpp"
#include "moblo/problem/problem.hpp"

namespace moblo::stress {

enum class LowerKind { quadratic, quartic, constant, linear, concave, exponential, not_a_number, infinite, kinds };
enum class UpperKind { quadratic, constant, linear, repeated, alpha_only, omega_only, root, logarithm, kinds };

inline double power_of_ten(Rng& rng, double low, double high) {
  return std::pow(10.0, low + (high - low) * rng.uniform());
}
inline bool one_in(Rng& rng, std::uint64_t count) {
  return rng.below(count) == 0;
}

/// A problem as numbers: the same description makes the same problem, as often as it is asked for.
struct Description {
  std::uint64_t seed = 0;
  std::int64_t n = 1, p = 1, m = 1, rows = 0;  ///< rows: alpha holds one value per sample, read by batches
  torch::Dtype type = torch::kFloat64;
  LowerKind lower = LowerKind::quadratic;
  std::vector<UpperKind> upper;
  std::vector<double> scales;  ///< of F_1 .. F_m, then f
  double condition = 1, start = 1;
  bool strongly_convex = false, tasks = false, uses_alpha_below = true;
  bool start_like_omega = false;  ///< alpha has omega's name and shape: what a lower loop can start at

  std::string text() const {
    std::string kinds, sizes;
    for (const auto kind : upper) kinds += fmt::format("{}", static_cast<int>(kind));
    for (const double scale : scales) sizes += fmt::format(" {:.0e}", scale);
    return fmt::format(
        "n {}, p {}, m {}, rows {}, {}, lower kind {}, upper kinds {}, scales{}, condition {:.0e}, start {:.0e}", n, p,
        m, rows, type == torch::kFloat64 ? "f64" : "f32", static_cast<int>(lower), kinds, sizes, condition, start);
  }
};

inline Description random_description(Rng& rng, bool tasks) {
  Description made;
  made.seed = rng.next();
  made.n = 1 + static_cast<std::int64_t>(rng.below(one_in(rng, 4) ? 50 : 5));
  made.p = 1 + static_cast<std::int64_t>(rng.below(one_in(rng, 4) ? 50 : 5));
  made.m = 1 + static_cast<std::int64_t>(rng.below(one_in(rng, 5) ? 12 : 3));
  made.rows = one_in(rng, 4) ? 6 : 0;
  made.type = one_in(rng, 2) ? torch::kFloat32 : torch::kFloat64;
  made.lower = static_cast<LowerKind>(rng.below(static_cast<std::uint64_t>(LowerKind::kinds)));
  if (one_in(rng, 2)) made.lower = LowerKind::quadratic;
  const bool extreme = one_in(rng, 2);
  for (std::int64_t i = 0; i <= made.m; ++i) {
    made.scales.push_back(extreme && one_in(rng, 2) ? power_of_ten(rng, -12, 12) : 1.0);
    const bool odd = one_in(rng, 3);
    made.upper.push_back(odd ? static_cast<UpperKind>(rng.below(static_cast<std::uint64_t>(UpperKind::kinds)))
                             : UpperKind::quadratic);
  }
  made.upper.resize(static_cast<std::size_t>(made.m));
  if (one_in(rng, 3)) made.condition = power_of_ten(rng, 0, 12);
  if (one_in(rng, 4)) made.start = power_of_ten(rng, -12, 12);
  made.strongly_convex = made.lower == LowerKind::quadratic || one_in(rng, 4);  // sometimes a lie
  made.tasks = tasks;
  made.uses_alpha_below = made.rows > 0 || !one_in(rng, 6);
  made.start_like_omega = made.rows == 0 && one_in(rng, 4);
  if (made.start_like_omega) made.n = made.p;
  return made;
}

/// f and F_i of the kinds that a description names, each times its scale. Losses that stop being finite do so beyond a
/// place, and not after a number of calls: whether a run was interrupted must not matter.
class RandomProblem : public BilevelProblem {
 public:
  explicit RandomProblem(const Description& given) : given_(given), upper_stream_(given), lower_stream_(given) {
    Rng rng(given.seed);
    const auto draw = [&](std::int64_t size, double scale) {
      std::vector<double> values(static_cast<std::size_t>(size));
      for (auto& value : values) value = scale * rng.normal();
      return torch::tensor(values, torch::kFloat64).to(given.type);
    };
    alpha_ = draw(given.rows > 0 ? given.rows : given.n, given.start);
    omega_ = draw(given.p, given.start);
    mixing_ = draw(given.p * given.n, 1).view({given.p, given.n});
    curvature_ = torch::logspace(0, -std::log10(given.condition), given.p, 10.0, torch::kFloat64).to(given.type);
    for (std::int64_t i = 0; i < given.m; ++i) targets_.push_back(draw(given.p, 2));
    if (given.rows > 0) {
      upper_.add_rows("alpha", alpha_);
    } else {
      upper_.add(given.start_like_omega ? "omega" : "alpha", alpha_);
    }
    lower_.add("omega", omega_);
  }

  /// Weights of samples are the lower level's business: the upper losses do not read them.
  std::vector<torch::Tensor> upper_losses(const Batch& batch) override {
    const auto alpha = given_.rows > 0 ? torch::zeros({given_.n}, given_.type) : read_alpha(batch);
    std::vector<torch::Tensor> losses;
    for (std::size_t i = 0; i < given_.upper.size(); ++i) {
      const bool repeated = given_.upper[i] == UpperKind::repeated && i > 0;
      losses.push_back(repeated ? losses.back() * 1.0 : objective(i, alpha) * given_.scales[i]);
    }
    return losses;
  }
  torch::Tensor lower_loss(const Batch& batch) override {
    const auto alpha = given_.uses_alpha_below ? read_alpha(batch) : torch::zeros({given_.n}, given_.type);
    return lower_of(alpha) * given_.scales.back();
  }
  BatchStream& upper_batches() override { return upper_stream_; }
  BatchStream& lower_batches() override { return lower_stream_; }
  ProblemTraits traits() const override {
    return {.strongly_convex_lower = given_.strongly_convex, .tasks = given_.tasks};
  }
  std::vector<std::pair<std::string, double>> evaluate() override {
    return {{"length", omega_.detach().norm().item().toDouble()}};
  }
  bool finite() {
    return upper_.values().isfinite().all().item().toBool() && lower_.values().isfinite().all().item().toBool() &&
           (given_.rows == 0 || alpha_.isfinite().all().item().toBool());
  }
  /// All variables as they are, one below another.
  torch::Tensor point() {
    return torch::cat({(given_.rows > 0 ? alpha_ : upper_.values()).detach().flatten(), lower_.values().detach()})
        .clone();
  }

 private:
  /// Two samples a batch, around and around.
  class Pairs : public BatchStream {
   public:
    explicit Pairs(const Description& given) : rows_(given.rows) {}
    Batch at(std::int64_t k) override {
      if (rows_ == 0) return {.number = k, .parts = {}};
      return {.number = k, .parts = {{torch::tensor({(2 * k) % rows_, (2 * k + 1) % rows_}), {}, {}}}, .inputs = {}};
    }

   private:
    std::int64_t rows_;
  };

  /// n values, however alpha is stored.
  torch::Tensor read_alpha(const Batch& batch) {
    if (given_.rows == 0) return alpha_;
    return upper_.rows("alpha", batch.parts[0].indices).sum().expand({given_.n});
  }
  torch::Tensor mixed(const torch::Tensor& alpha) const { return torch::mv(mixing_, alpha); }

  torch::Tensor objective(std::size_t i, const torch::Tensor& alpha) const {
    const auto gap = omega_ - targets_[i];
    switch (given_.upper[i]) {
      case UpperKind::constant:
        return 0 * omega_.sum() + 0 * alpha.sum() + 1;
      case UpperKind::linear:
        return torch::dot(omega_, targets_[i]) + alpha.sum();
      case UpperKind::alpha_only:
        return (alpha - 1).square().mean() + 0 * omega_.sum();
      case UpperKind::omega_only:
        return gap.square().mean();
      case UpperKind::root:
        return omega_.abs().sqrt().sum() + alpha.abs().sqrt().sum();
      case UpperKind::logarithm:
        return -(omega_.abs() - 1e-3).log().mean() + alpha.square().mean();
      default:
        return gap.square().mean() + 0.1 * alpha.square().mean();
    }
  }

  torch::Tensor lower_of(const torch::Tensor& alpha) const {
    const auto gap = omega_ - mixed(alpha);
    const auto bowl = (curvature_ * gap.square()).sum() / 2;
    const auto beyond = (omega_.detach().abs() > 3).any();
    switch (given_.lower) {
      case LowerKind::quartic:
        return gap.pow(4).sum();
      case LowerKind::constant:
        return 0 * omega_.sum() + alpha.square().sum();
      case LowerKind::linear:
        return torch::dot(omega_, targets_[0]) + alpha.sum();
      case LowerKind::concave:
        return -bowl;
      case LowerKind::exponential:
        return (10 * gap).exp().sum();
      case LowerKind::not_a_number:
        return torch::where(beyond, bowl * std::numeric_limits<double>::quiet_NaN(), bowl);
      case LowerKind::infinite:
        return torch::where(beyond, bowl * std::numeric_limits<double>::infinity(), bowl);
      default:
        return bowl;
    }
  }

  Description given_;
  torch::Tensor alpha_, omega_, mixing_, curvature_;
  std::vector<torch::Tensor> targets_;
  Pairs upper_stream_, lower_stream_;
};

}  // namespace moblo::stress
