#include "lab/clean/groups.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace moblo::lab::clean {
namespace {

constexpr double normal_95 = 1.6448536269514722;

struct Sums {
  std::size_t samples = 0;
  double mean = 0, variance = 0;  // of the number of wrong labels

  void add(double p) { ++samples, mean += p, variance += p * (1 - p); }
};

/// P(|Z| > z).
double two_sided(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

double deviation_from(const Sums& own, const Sums& all) {
  const double n = static_cast<double>(own.samples), rest = static_cast<double>(all.samples) - n;
  if (rest <= 0) return 0;
  const double variance = own.variance / (n * n) + (all.variance - own.variance) / (rest * rest);
  return variance > 0 ? (own.mean / n - (all.mean - own.mean) / rest) / std::sqrt(variance) : 0;
}

}  // namespace

std::vector<GroupShare> shares_by_group(const std::vector<double>& wrong, const std::vector<std::string>& groups,
                                        std::size_t least) {
  std::map<std::string, Sums> by_name, kept;
  Sums all;
  for (std::size_t j = 0; j < wrong.size(); ++j) by_name[groups[j]].add(wrong[j]), all.add(wrong[j]);
  for (const auto& [name, sums] : by_name) {
    auto& into = kept[sums.samples < least ? "others" : name];
    into.samples += sums.samples, into.mean += sums.mean, into.variance += sums.variance;
  }
  std::vector<GroupShare> shares;
  for (const auto& [name, sums] : kept) {
    const double n = static_cast<double>(sums.samples), half = normal_95 * std::sqrt(sums.variance);
    const double p = two_sided(deviation_from(sums, all)) * static_cast<double>(kept.size());
    shares.push_back({name, sums.samples, sums.mean / n, std::max(0.0, sums.mean - half) / n,
                      std::min(n, sums.mean + half) / n, p < 0.01});
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.wrong > b.wrong; });
  return shares;
}

std::vector<std::string> folders_of(const std::vector<std::string>& paths) {
  std::vector<std::string> folders;
  std::set<std::string> different;
  for (const auto& path : paths) {
    const auto end = path.find_last_of('/');
    folders.push_back(end == std::string::npos ? "" : path.substr(0, end));
    different.insert(folders.back());
  }
  const bool tells = different.size() > 1 && 2 * different.size() <= paths.size();
  return tells ? folders : std::vector<std::string>();
}

}  // namespace moblo::lab::clean
