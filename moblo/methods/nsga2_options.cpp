#include "moblo/methods/nsga2_options.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo {

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
  throw Error(ErrorKind::config, place.child("population").text(), fmt::format("{} is no multiple of 4", population),
              fmt::format("Write {}", (population / 4 + 1) * 4));
}

MethodInfo nsga2_info() {
  return make_method_info<Nsga2Options>(
      "nsga2", "genetic search over alpha, a trained model a point; needs no gradients of alpha",
      "Deb, Pratap, Agarwal, Meyarivan: A Fast and Elitist Multiobjective Genetic Algorithm: NSGA-II, IEEE TEC 2002",
      [](const Nsga2Options& options) { return options.traits(); });
}

}  // namespace moblo
