#include "fuzz/gramians.hpp"
#include "moblo/aggregation/aggregate.hpp"
#include "moblo/aggregation/weighting_catalogue.hpp"

namespace moblo::fuzz {
namespace {

std::string state_text(const Weighting& weighting) {
  const auto state = weighting.save();
  std::string text = state.values.dump();
  for (const auto& [name, values] : state.arrays) {
    text.append(name).append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  }
  return text;
}

}  // namespace
}  // namespace moblo::fuzz

// Every weighting, step after step, on gradients or on a Gramian: finite or refused, and unchanged where it refused.
MOBLO_FUZZ_TARGET(weightings) {
  using namespace moblo;
  fuzz::Taker taker(input);
  const auto& all = weighting_catalogue();
  const auto& info = all[static_cast<std::size_t>(taker.up_to(static_cast<int>(all.size()) - 1))];
  const auto weighting = info.make(info.resolve(Json::object(), {}));
  const Eigen::Index tasks = 1 + taker.up_to(3);
  weighting->start(tasks);
  const auto needs = weighting->needs();
  fuzz::WildNumbers numbers(taker);
  for (std::int64_t k = 0; k < 4 && !taker.empty(); ++k) {
    TaskStep step{.k = k, .epoch_length = 2, .losses = numbers.vector(tasks), .gramian = {}};
    const std::string before = fuzz::state_text(*weighting);
    const bool from_gramian = !needs.entries && taker.up_to(3) == 0;
    const bool done = fuzz::accepts([&] {
      if (from_gramian) {
        const Eigen::MatrixXd gramian = semidefinite_gramian(fuzz::wild_gramian(taker, tasks * needs.samples), "fuzz");
        const auto out = aggregate_gramian(*weighting, gramian, step);
        fuzz::must(out.products.allFinite() && std::isfinite(out.length), "products are finite");
        return;
      }
      const Aggregate out = aggregate(*weighting, fuzz::wild_rows(taker, tasks * needs.samples), step);
      fuzz::must(out.direction.allFinite() && out.weights.shared.allFinite(), "directions are finite");
    });
    fuzz::must(done || before == fuzz::state_text(*weighting), "a refusal changes nothing");
    if (done && needs.losses_after) {
      const Eigen::VectorXd after = numbers.vector(tasks);
      fuzz::accepts([&] { weighting->observe_after(after); });
    }
  }
}
