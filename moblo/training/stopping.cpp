#include "moblo/training/stopping.hpp"

#include <cmath>
#include <numeric>

namespace moblo::training {
namespace {

constexpr std::int64_t price_of_second_order = 2;  // in gradients: a product is a backward pass through a backward pass

}  // namespace

std::optional<RunStatus> Stopping::after(const StepRecord& record, double seconds) {
  const auto& [lower, upper, second_order] = record.gradients;
  gradients_ += lower + upper + price_of_second_order * second_order;
  const bool feasible = options_.q == 0 || std::abs(record.q) <= options_.q;
  if (options_.kkt > 0 && record.kkt <= options_.kkt && feasible) return RunStatus::converged;
  if (options_.patience > 0 && stalled(record)) return RunStatus::plateau;
  if (options_.seconds > 0 && seconds >= options_.seconds) return RunStatus::time_limit;
  return std::nullopt;
}

bool Stopping::stalled(const StepRecord& record) {
  const double mean =
      std::accumulate(record.losses.begin(), record.losses.end(), 0.0) / static_cast<double>(record.losses.size());
  if (!best_ || mean < *best_ - options_.min_progress * std::abs(*best_)) {
    best_ = mean;
    best_k_ = record.k;
  }
  return record.k - best_k_ >= options_.patience;
}

Json Stopping::save() const {
  Json state;
  state["best"] = best_ ? Json(*best_) : Json();
  state["best_k"] = best_k_;
  state["gradients"] = gradients_;
  return state;
}

void Stopping::restore(const Json& state) {
  best_ = state.at("best").is_null() ? std::nullopt : std::optional(state.at("best").get<double>());
  best_k_ = state.at("best_k").get<std::int64_t>();
  gradients_ = state.value("gradients", std::int64_t{0});
}

}  // namespace moblo::training
