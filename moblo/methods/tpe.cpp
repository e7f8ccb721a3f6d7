#include "moblo/methods/tpe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "moblo/methods/parzen.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/methods/search.hpp"

namespace moblo::methods {
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

class TpeSteps : public SearchMethod {
 public:
  explicit TpeSteps(const TpeOptions& options) : SearchMethod(search_options(options)), options_(options) {}

  std::string name() const override { return "tpe"; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    SearchMethod::start(problem, objectives);
    tried_.clear();
    losses_.clear();
  }
  Snapshot save() const override;
  void restore(const Snapshot& state) override;

 private:
  void try_points(const StepContext& context) override;
  std::vector<double> next_point() const;

  TpeOptions options_;
  std::vector<std::vector<double>> tried_;  // in the order of the trials
  std::vector<double> losses_;              // mean F of each
};

std::vector<double> TpeSteps::next_point() const {
  const auto seed = derive_seed(static_cast<std::uint64_t>(options_.seed), "tpe trial", tried_.size());
  if (tried_.size() < static_cast<std::size_t>(options_.startup)) return random_point(seed);
  const auto is_good = good_ones(losses_, options_.good_share);
  Rng rng(seed);
  std::vector<double> point;
  for (std::size_t i = 0; i < low().size(); ++i) {
    std::vector<double> good, bad;
    for (std::size_t t = 0; t < tried_.size(); ++t) (is_good[t] ? good : bad).push_back(tried_[t][i]);
    const double from = low()[i], to = high()[i];
    point.push_back(suggest({good, from, to}, {bad, from, to}, options_.candidates, rng));
  }
  return point;
}

void TpeSteps::try_points(const StepContext& context) {
  for (std::int64_t i = 0; i < options_.trials; ++i) {
    auto point = next_point();
    context.timer.lap("suggestion");
    losses_.push_back(mean_of(evaluate(context, point)));
    tried_.push_back(std::move(point));
  }
}

Snapshot TpeSteps::save() const {
  Snapshot state = SearchMethod::save();
  state.tensors["tried"] = to_tensor(tried_);
  state.tensors["losses"] = torch::tensor(losses_, torch::kFloat64);
  return state;
}

void TpeSteps::restore(const Snapshot& state) {
  SearchMethod::restore(state);
  const auto losses = state.tensors.at("losses");
  tried_ = rows_of(state, "tried", losses.numel(), low().size());
  const auto as_saved = problem::tensor_like(state, "losses", torch::empty({losses.numel()}, torch::kFloat64));
  losses_.assign(as_saved.data_ptr<double>(), as_saved.data_ptr<double>() + as_saved.numel());
}

}  // namespace

const OptionTable<TpeOptions>& TpeOptions::table() {
  static const auto table = [] {
    using O = TpeOptions;
    OptionTable<O> t;
    add_search_fields(t);
    t.add("trials", &O::trials, "points tried in a step", at_least(1));
    t.add("startup", &O::startup, "first trials, drawn uniformly", at_least(1));
    t.add("good_share", &O::good_share, "gamma: gamma sqrt(N) of N trials count as good, at most 25", above(0));
    t.add("candidates", &O::candidates, "draws from the good ones' density, a coordinate", at_least(1));
    return t;
  }();
  return table;
}

Tpe::Tpe(const TpeOptions& options) : BuiltIn(make_checked<TpeSteps>(options, "tpe")) {}

MethodInfo tpe_info() {
  return make_method_info<Tpe, TpeOptions>(
      "tpe",
      "Bayesian search over alpha on the mean objective, a trained model for each point; needs no gradients of alpha",
      "Bergstra, Bardenet, Bengio, Kegl: Algorithms for Hyper-Parameter Optimization, NeurIPS 2011");
}

}  // namespace moblo::methods
