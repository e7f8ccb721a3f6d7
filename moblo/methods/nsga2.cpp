#include "moblo/methods/nsga2.hpp"

#include "moblo/base/rng.hpp"

namespace moblo {
namespace {

void save_points(const std::vector<Individual>& points, const std::string& name, Snapshot& to) {
  std::vector<std::vector<double>> x, f;
  for (const auto& point : points) {
    x.push_back(point.x);
    f.push_back(point.f);
  }
  to.tensors[name + "_x"] = to_tensor(x);
  to.tensors[name + "_f"] = to_tensor(f);
}

std::vector<Individual> restore_points(const Snapshot& from, const std::string& name) {
  const auto x = to_rows(from.tensors.at(name + "_x")), f = to_rows(from.tensors.at(name + "_f"));
  std::vector<Individual> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.push_back({x[i], f[i]});
  return points;
}

}  // namespace

void Nsga2::start(BilevelProblem& problem, std::int64_t objectives) {
  search_.start(problem, objectives);
  generation_ = 0;
  population_.clear();
  archive_.clear();
}

StepRecord Nsga2::step(const StepContext& context) {
  auto record = search_.begin(context);
  const auto seed = derive_seed(static_cast<std::uint64_t>(options_.seed), "nsga2 generation",
                                static_cast<std::uint64_t>(generation_));
  const Fitness fitness = [&](const std::vector<double>& alpha) {
    auto losses = search_.evaluate(context, alpha);
    offer(archive_, {alpha, losses}, static_cast<std::size_t>(options_.archive));
    return losses;
  };
  if (population_.empty()) {
    for (std::int64_t i = 0; i < options_.population; ++i) {
      const auto alpha = search_.random_point(derive_seed(seed, "individual", static_cast<std::uint64_t>(i)));
      population_.push_back({alpha, fitness(alpha)});
    }
  } else {
    population_ = next_generation(population_, search_.low(), search_.high(), options_, seed, fitness);
  }
  ++generation_;
  context.timer.lap("selection");
  search_.finish(context);
  return record;
}

Snapshot Nsga2::save() const {
  Snapshot state;
  search_.save(state);
  state.values["generation"] = generation_;
  save_points(population_, "population", state);
  save_points(archive_, "archive", state);
  return state;
}

void Nsga2::restore(const Snapshot& state) {
  search_.restore(state);
  generation_ = state.values.at("generation").get<std::int64_t>();
  population_ = restore_points(state, "population");
  archive_ = restore_points(state, "archive");
}

std::unique_ptr<Method> make_nsga2(const Json& options) {
  Nsga2Options read;
  Nsga2Options::table().read(options, read, {});
  return std::make_unique<Nsga2>(read);
}

}  // namespace moblo
