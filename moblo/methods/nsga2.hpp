#pragma once

#include <cstdint>
#include <vector>

#include "moblo/base/export.hpp"
#include "moblo/base/options.hpp"
#include "moblo/methods/method.hpp"

#ifndef MOBLO_NO_SEARCH  // a library that was built without pagmo (MOBLO_SEARCH=OFF)

namespace moblo::methods {

/// NSGA-II: one step is one generation.
struct MOBLO_API Nsga2Options {
  std::int64_t inner_steps = 200;      ///< lower steps from omega_0 that train the model of a point
  double inner_step_size = 0.1;        ///< eta
  std::int64_t upper_evaluations = 1;  ///< upper batches over which F is averaged
  double range = 3;                    ///< each alpha_i is sought within range of its start
  std::int64_t seed = 0;               ///< of the search; a run gives it its own
  std::int64_t population = 20;        ///< a multiple of 4
  double crossover = 0.95;             ///< probability of simulated binary crossover
  double crossover_index = 10;
  double mutation = 0.01;  ///< probability of polynomial mutation, a coordinate
  double mutation_index = 50;
  std::int64_t archive = 100;  ///< non-dominated points that are kept beside the population

  static const OptionTable<Nsga2Options>& table();
  void refuse_contradictions(const OptionPlace& place) const;
};

struct MOBLO_API Individual {
  std::vector<double> x, f;
};

/// A population of alphas, each judged by F of the model that is trained with it; the first step draws and judges it,
/// each further one is a generation. The iterate is the best point by the mean of F.
class MOBLO_API Nsga2 : public BuiltIn {
 public:
  explicit Nsga2(const Nsga2Options& options = {});

  /// Non-dominated points of all that were ever judged.
  const std::vector<Individual>& archive() const;
};

}  // namespace moblo::methods

namespace moblo {

using methods::Individual;
using methods::Nsga2;
using methods::Nsga2Options;

}  // namespace moblo

#endif
