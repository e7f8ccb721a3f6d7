#include "moblo/methods/genetic.hpp"

#include <algorithm>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/utils/multi_objective.hpp>

namespace moblo::methods {
namespace {

/// What pagmo calls a problem; it copies it, so it holds no more than pointers.
struct Sought {
  const Fitness* fitness_ = nullptr;
  const std::vector<double>*low_ = nullptr, *high_ = nullptr;
  std::size_t objectives_ = 1;

  pagmo::vector_double fitness(const pagmo::vector_double& x) const { return (*fitness_)(x); }
  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    if (!low_) return {{0}, {1}};  // pagmo makes an empty one
    return {*low_, *high_};
  }
  pagmo::vector_double::size_type get_nobj() const { return objectives_; }
};

bool at_least_as_good(const Individual& a, const Individual& b) {
  return std::equal(a.f.begin(), a.f.end(), b.f.begin(), [](double x, double y) { return x <= y; });
}

}  // namespace

std::vector<Individual> next_generation(const std::vector<Individual>& population, const std::vector<double>& low,
                                        const std::vector<double>& high, const Nsga2Options& options,
                                        std::uint64_t seed, const Fitness& fitness) {
  const Sought sought{&fitness, &low, &high, population.front().f.size()};
  const auto engine_seed = static_cast<unsigned>(seed);
  pagmo::population now(pagmo::problem(sought), 0, engine_seed);
  for (const auto& individual : population) now.push_back(individual.x, individual.f);
  const pagmo::nsga2 algorithm(1, options.crossover, options.crossover_index, options.mutation, options.mutation_index,
                               engine_seed);
  const auto next = algorithm.evolve(now);
  std::vector<Individual> out;
  for (std::size_t i = 0; i < population.size(); ++i) out.push_back({next.get_x()[i], next.get_f()[i]});
  return out;
}

void offer(std::vector<Individual>& archive, const Individual& candidate, std::size_t limit) {
  const auto beaten = [&](const Individual& member) { return at_least_as_good(member, candidate); };
  if (std::any_of(archive.begin(), archive.end(), beaten)) return;
  std::erase_if(archive, [&](const Individual& member) { return at_least_as_good(candidate, member); });
  archive.push_back(candidate);
  if (archive.size() <= std::max<std::size_t>(limit, 2)) return;
  std::vector<pagmo::vector_double> front;
  for (const auto& member : archive) front.push_back(member.f);
  const auto distances = pagmo::crowding_distance(front);
  archive.erase(archive.begin() + (std::min_element(distances.begin(), distances.end()) - distances.begin()));
}

}  // namespace moblo::methods
