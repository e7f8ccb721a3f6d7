#include "moblo/aggregation/preference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "moblo/aggregation/saved_vector.hpp"

namespace moblo::aggregation {
namespace {

// Where a loss passes z, z goes below it by this share of the largest distance.
constexpr double reference_margin = 0.1;
// Linear terms below this share of the squares beside them are nothing.
constexpr double least_term = 1e-60;
// A limit of 0 is met within this.
constexpr double least_limit_slack = 1e-6;

}  // namespace

void Preference::start(Eigen::Index objectives) {
  free_.clear();
  limited_.clear();
  for (const auto& limit : options_.limits) limited_.push_back(limit.objective);
  for (Eigen::Index i = 0; i < objectives; ++i) {
    if (std::find(limited_.begin(), limited_.end(), i) == limited_.end()) free_.push_back(i);
  }
  scales_ = Eigen::VectorXd::Ones(objectives);
  if (has_preference()) {
    for (const auto i : free_) scales_[i] = options_.preference[i] / options_.preference.maxCoeff();
    const double total =
        std::accumulate(free_.begin(), free_.end(), 0.0, [&](double sum, auto i) { return sum + scales_[i]; });
    for (const auto i : free_) scales_[i] /= total;
  }
  reference_ = options_.reference.size() > 0 ? options_.reference : Eigen::VectorXd::Zero(objectives);
  smoothed_.resize(0);
  last_.resize(0);
  closest_ =
      Eigen::VectorXd::Constant(static_cast<Eigen::Index>(limited_.size()), std::numeric_limits<double>::infinity());
}

void Preference::observe(const std::vector<double>& losses, double beta) {
  if (!any()) return;
  last_ = Eigen::Map<const Eigen::VectorXd>(losses.data(), static_cast<Eigen::Index>(losses.size()));
  smoothed_ = smoothed_.size() == 0 ? last_ : Eigen::VectorXd((1 - beta) * smoothed_ + beta * last_);
  const double largest = (smoothed_ - reference_).cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < smoothed_.size(); ++i) {
    const bool passed = smoothed_[i] <= reference_[i];
    if (passed && largest > 0) reference_[i] = smoothed_[i] - reference_margin * largest;
  }
  for (std::size_t j = 0; j < limited_.size(); ++j) {
    auto& closest = closest_[static_cast<Eigen::Index>(j)];
    closest = std::min(closest, last_[limited_[j]]);
  }
}

Eigen::VectorXd Preference::merits(const Eigen::VectorXd& squares) const {
  if (!has_preference()) return {};
  Eigen::VectorXd merits(static_cast<Eigen::Index>(free_.size()));
  for (Eigen::Index i = 0; i < merits.size(); ++i) {
    const auto objective = free_[static_cast<std::size_t>(i)];
    merits[i] = scales_[objective] * (smoothed_[objective] - reference_[objective]);
  }
  const double largest = merits.maxCoeff();
  if (!(largest > 0)) return Eigen::VectorXd::Zero(merits.size());
  merits = (merits.array() > least_term * largest).select(merits, 0);
  return options_.pull * squares.maxCoeff() / largest * merits;
}

Eigen::VectorXd Preference::allowed(const Eigen::VectorXd& squares, const Eigen::VectorXd& scales) const {
  Eigen::VectorXd allowed(static_cast<Eigen::Index>(limited_.size()));
  for (Eigen::Index j = 0; j < allowed.size(); ++j) {
    const auto& limit = options_.limits[static_cast<std::size_t>(j)];
    const double room = options_.limit_rate * (limit.value - smoothed_[limit.objective]);
    allowed[j] = std::max(room * scales[j], -squares[j]);
    if (std::abs(allowed[j]) < least_term * squares[j]) allowed[j] = 0;
  }
  return allowed;
}

std::string Preference::unmet() const {
  std::string text;
  for (std::size_t j = 0; j < limited_.size(); ++j) {
    const auto& limit = options_.limits[j];
    const double value = last_[limit.objective];
    const double slack = std::max(options_.limit_tolerance * std::abs(limit.value), least_limit_slack);
    if (value <= limit.value + slack) continue;
    text += fmt::format("{}{} = {:.6g} ended above its limit {:.6g} (closest: {:.6g})", text.empty() ? "" : "; ",
                        limit.name, value, limit.value, closest_[static_cast<Eigen::Index>(j)]);
  }
  return text;
}

Json Preference::save() const {
  return {{"reference", saved_vector(reference_)},
          {"smoothed", saved_vector(smoothed_)},
          {"last", saved_vector(last_)},
          {"closest", saved_vector(closest_.cwiseMin(std::numeric_limits<double>::max()))}};
}

void Preference::restore(const Json& state) {
  const auto objectives = scales_.size();
  reference_ = restored_vector(state.at("reference"), objectives);
  smoothed_ = restored_vector_or_none(state.at("smoothed"), objectives);
  last_ = restored_vector_or_none(state.at("last"), objectives);
  closest_ = restored_vector(state.at("closest"), closest_.size());
}

}  // namespace moblo::aggregation
