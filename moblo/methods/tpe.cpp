#include "moblo/methods/tpe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "moblo/methods/parzen.hpp"

namespace moblo {
namespace {

constexpr double most_good = 25;

/// Trials of the smallest losses, ceil(share sqrt(N)) of them and at most 25.
std::vector<bool> good_ones(const std::vector<double>& losses, double share) {
  std::vector<std::size_t> order(losses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return losses[a] < losses[b]; });
  const double wanted = std::ceil(share * std::sqrt(static_cast<double>(losses.size())));
  std::vector<bool> good(losses.size(), false);
  for (std::size_t i = 0; i < losses.size() && static_cast<double>(i) < std::min(wanted, most_good); ++i) {
    good[order[i]] = true;
  }
  return good;
}

}  // namespace

void Tpe::start(BilevelProblem& problem, std::int64_t objectives) {
  search_.start(problem, objectives);
  tried_.clear();
  losses_.clear();
}

std::vector<double> Tpe::next_point() const {
  const auto seed = derive_seed(static_cast<std::uint64_t>(options_.seed), "tpe trial", tried_.size());
  if (tried_.size() < static_cast<std::size_t>(options_.startup)) return search_.random_point(seed);
  const auto is_good = good_ones(losses_, options_.good_share);
  Rng rng(seed);
  std::vector<double> point;
  for (std::size_t i = 0; i < search_.low().size(); ++i) {
    std::vector<double> good, bad;
    for (std::size_t t = 0; t < tried_.size(); ++t) (is_good[t] ? good : bad).push_back(tried_[t][i]);
    const double low = search_.low()[i], high = search_.high()[i];
    point.push_back(suggest({good, low, high}, {bad, low, high}, options_.candidates, rng));
  }
  return point;
}

StepRecord Tpe::step(const StepContext& context) {
  auto record = search_.begin(context);
  for (std::int64_t i = 0; i < options_.trials; ++i) {
    auto point = next_point();
    context.timer.lap("suggestion");
    losses_.push_back(mean_of(search_.evaluate(context, point)));
    tried_.push_back(std::move(point));
  }
  search_.finish(context);
  return record;
}

Snapshot Tpe::save() const {
  Snapshot state;
  search_.save(state);
  state.tensors["tried"] = to_tensor(tried_);
  state.tensors["losses"] = torch::tensor(losses_, torch::kFloat64);
  return state;
}

void Tpe::restore(const Snapshot& state) {
  search_.restore(state);
  tried_ = to_rows(state.tensors.at("tried"));
  const auto losses = state.tensors.at("losses").contiguous();
  losses_.assign(losses.data_ptr<double>(), losses.data_ptr<double>() + losses.numel());
}

std::unique_ptr<Method> make_tpe(const Json& options) {
  TpeOptions read;
  TpeOptions::table().read(options, read, {});
  return std::make_unique<Tpe>(read);
}

}  // namespace moblo
