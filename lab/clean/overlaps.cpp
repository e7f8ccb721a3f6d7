#include "lab/clean/overlaps.hpp"

#include <algorithm>

namespace moblo::lab::clean {
namespace {

double doubt(const ClassChances& chances, std::size_t sample, std::size_t a, std::size_t b) {
  return std::min(chances.row(sample)[a], chances.row(sample)[b]);
}

std::vector<std::size_t> most_in_doubt(const ClassChances& chances, std::size_t a, std::size_t b, std::size_t count) {
  std::vector<std::size_t> order(chances.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  count = std::min(count, order.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](std::size_t i, std::size_t j) {
                      const double of_i = doubt(chances, i, a, b), of_j = doubt(chances, j, a, b);
                      return of_i != of_j ? of_i > of_j : i < j;
                    });
  order.resize(count);
  return order;
}

std::size_t given_otherwise(const ClassChances& chances, const Labels& given, std::size_t a, std::size_t b) {
  std::size_t count = 0;
  for (std::size_t j = 0; j < given.size(); ++j) {
    const auto* p = chances.row(j);
    const auto g = static_cast<std::size_t>(given[j]);
    count += (g == a && p[b] > p[a]) || (g == b && p[a] > p[b]) ? 1 : 0;
  }
  return count;
}

}  // namespace

std::vector<Overlap> find_overlaps(const ClassChances& chances, const Labels& given, double least_share,
                                   std::size_t most, std::size_t examples) {
  const auto classes = chances.classes;
  std::vector<double> mass(classes), shared(classes * classes);
  for (std::size_t j = 0; j < chances.size(); ++j) {
    for (std::size_t a = 0; a < classes; ++a) {
      mass[a] += chances.row(j)[a];
      for (std::size_t b = a + 1; b < classes; ++b) shared[a * classes + b] += doubt(chances, j, a, b);
    }
  }
  std::vector<Overlap> found;
  for (std::size_t a = 0; a < classes; ++a) {
    for (std::size_t b = a + 1; b < classes; ++b) {
      const double smaller = std::min(mass[a], mass[b]);
      const double share = smaller > 0 ? shared[a * classes + b] / smaller : 0;
      if (share >= least_share) found.push_back({a, b, share, 0, {}});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& x, const auto& y) { return x.share > y.share; });
  if (found.size() > most) found.resize(most);
  for (auto& pair : found) {
    pair.given_otherwise = given_otherwise(chances, given, pair.first, pair.second);
    pair.between = most_in_doubt(chances, pair.first, pair.second, examples);
  }
  return found;
}

}  // namespace moblo::lab::clean
