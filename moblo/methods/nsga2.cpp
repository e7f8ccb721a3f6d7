#include "moblo/methods/nsga2.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/methods/genetic.hpp"
#include "moblo/methods/registry.hpp"
#include "moblo/methods/search.hpp"

namespace moblo::methods {
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

std::vector<Individual> restore_points(const Snapshot& from, const std::string& name, std::size_t coordinates,
                                       std::size_t objectives) {
  const auto count = from.tensors.at(name + "_x").size(0);
  const auto x = rows_of(from, name + "_x", count, coordinates), f = rows_of(from, name + "_f", count, objectives);
  std::vector<Individual> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.push_back({x[i], f[i]});
  return points;
}

class Nsga2Steps : public SearchMethod {
 public:
  explicit Nsga2Steps(const Nsga2Options& options) : SearchMethod(search_options(options)), options_(options) {}

  std::string name() const override { return "nsga2"; }
  void start(BilevelProblem& problem, std::int64_t objectives) override {
    if (objectives < 2) {
      throw Error(ErrorKind::problem, "method nsga2 on a problem with one objective", "it ranks points by several",
                  "Choose tpe, or another method");
    }
    SearchMethod::start(problem, objectives);
    generation_ = 0;
    population_.clear();
    archive_.clear();
  }
  Snapshot save() const override;
  void restore(const Snapshot& state) override;
  const std::vector<Individual>& archive() const { return archive_; }

 private:
  void try_points(const StepContext& context) override;

  Nsga2Options options_;
  std::int64_t generation_ = 0;
  std::vector<Individual> population_, archive_;
};

void Nsga2Steps::try_points(const StepContext& context) {
  const auto seed = derive_seed(static_cast<std::uint64_t>(options_.seed), "nsga2 generation",
                                static_cast<std::uint64_t>(generation_));
  const Fitness fitness = [&](const std::vector<double>& alpha) {
    auto losses = evaluate(context, alpha);
    offer(archive_, {alpha, losses}, static_cast<std::size_t>(options_.archive));
    return losses;
  };
  if (population_.empty()) {
    for (std::int64_t i = 0; i < options_.population; ++i) {
      const auto alpha = random_point(derive_seed(seed, "individual", static_cast<std::uint64_t>(i)));
      population_.push_back({alpha, fitness(alpha)});
    }
  } else {
    population_ = next_generation(population_, low(), high(), options_, seed, fitness);
  }
  ++generation_;
  context.timer.lap("selection");
}

Snapshot Nsga2Steps::save() const {
  Snapshot state = SearchMethod::save();
  state.values["generation"] = generation_;
  save_points(population_, "population", state);
  save_points(archive_, "archive", state);
  return state;
}

void Nsga2Steps::restore(const Snapshot& state) {
  SearchMethod::restore(state);
  generation_ = state.values.at("generation").get<std::int64_t>();
  population_ = restore_points(state, "population", low().size(), objectives());
  archive_ = restore_points(state, "archive", low().size(), objectives());
}

}  // namespace

const OptionTable<Nsga2Options>& Nsga2Options::table() {
  static const auto table = [] {
    using O = Nsga2Options;
    OptionTable<O> t;
    add_search_fields(t);
    t.add("population", &O::population, "points of a generation, a multiple of 4", within(8, 100000));
    t.add("crossover", &O::crossover, "probability of simulated binary crossover", at_least_below(0, 1));
    t.add("crossover_index", &O::crossover_index, "distribution index of the crossover", within(1, 99));
    t.add("mutation", &O::mutation, "probability of polynomial mutation, a coordinate", within(0, 1));
    t.add("mutation_index", &O::mutation_index, "distribution index of the mutation", within(1, 99));
    t.add("archive", &O::archive, "non-dominated points that are kept beside the population", at_least(1));
    return t;
  }();
  return table;
}

void Nsga2Options::refuse_contradictions(const OptionPlace& place) const {
  if (population % 4 == 0) return;
  throw Error(ErrorKind::config, place.child("population").text(), fmt::format("{} is not a multiple of 4", population),
              fmt::format("Write {}", (population / 4 + 1) * 4));
}

Nsga2::Nsga2(const Nsga2Options& options) : BuiltIn(make_checked<Nsga2Steps>(options, "nsga2")) {}

const std::vector<Individual>& Nsga2::archive() const {
  return dynamic_cast<const Nsga2Steps&>(steps()).archive();
}

MethodInfo nsga2_info() {
  return make_method_info<Nsga2, Nsga2Options>(
      "nsga2", "genetic search over alpha, a trained model for each point; needs no gradients of alpha",
      "Deb, Pratap, Agarwal, Meyarivan: A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II, IEEE TEC 2002");
}

}  // namespace moblo::methods
