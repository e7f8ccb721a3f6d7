#pragma once

#include "moblo/methods/catalogue.hpp"
#include "moblo/methods/search_options.hpp"

namespace moblo {

/// NSGA-II: one step is one generation.
struct Nsga2Options : SearchOptions {
  std::int64_t population = 20;  ///< a multiple of 4
  double crossover = 0.95;       ///< probability of simulated binary crossover
  double crossover_index = 10;
  double mutation = 0.01;  ///< probability of polynomial mutation, a coordinate
  double mutation_index = 50;
  std::int64_t archive = 100;  ///< non-dominated points that are kept beside the population

  static const OptionTable<Nsga2Options>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

MethodInfo nsga2_info();

}  // namespace moblo
