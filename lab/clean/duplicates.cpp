#include "lab/clean/duplicates.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <unordered_map>

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t neighbours_asked = 5;

/// Each group is known by its smallest member.
class Groups {
 public:
  explicit Groups(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), std::size_t{0}); }

  std::size_t first_of(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    a = first_of(a), b = first_of(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// Of each row, the first that has the same bytes.
std::vector<std::size_t> equal_rows(const torch::Tensor& rows) {
  const auto bytes = static_cast<std::size_t>(rows.size(1)) * sizeof(float);
  const auto* data = reinterpret_cast<const char*>(rows.data_ptr<float>());
  std::unordered_map<std::string_view, std::size_t> first;
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.size(0)); ++i) {
    out.push_back(first.try_emplace({data + i * bytes, bytes}, i).first->second);
  }
  return out;
}

struct Near {
  double ratio;  // distance by the smaller radius
  RowPair pair;
};

/// Pairs of different rows, each once, the nearest first.
std::vector<Near> near_pairs(const torch::Tensor& rows, const std::vector<std::size_t>& kept,
                             const Surroundings& around, const DuplicateSearch& search) {
  const auto index = torch::tensor(std::vector<std::int64_t>(kept.begin(), kept.end()), torch::kInt64);
  const auto unique = rows.index_select(0, index);
  const auto near = nearest_rows(unique, neighbours_asked, derive_seed(search.seed, "duplicates"), search.threads);
  const auto distance = near.distance.contiguous(), other = near.index.contiguous();
  std::vector<Near> pairs;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto* d = distance[static_cast<std::int64_t>(i)].data_ptr<float>();
    const auto* o = other[static_cast<std::int64_t>(i)].data_ptr<std::int64_t>();
    for (std::int64_t k = 0; k < neighbours_asked && o[k] >= 0; ++k) {
      const auto a = kept[i], b = kept[static_cast<std::size_t>(o[k])];
      const double radius = std::min(around.radius[a], around.radius[b]);
      const double ratio = radius > 0 ? static_cast<double>(d[k]) / radius : 1;
      if (ratio <= search.asked_below) pairs.push_back({ratio, {std::min(a, b), std::max(a, b)}});
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Near& x, const Near& y) { return x.ratio != y.ratio ? x.ratio < y.ratio : x.pair < y.pair; });
  pairs.erase(std::unique(pairs.begin(), pairs.end(), [](const Near& x, const Near& y) { return x.pair == y.pair; }),
              pairs.end());
  return pairs;
}

/// (n / m) k r^D others on average of each of n rows, half of that pairs. The dimension is not the same everywhere:
/// half of it is taken for D, for places where rows crowd.
double ratio_by_chance(std::size_t rows, const Surroundings& around) {
  const double n = static_cast<double>(rows), m = static_cast<double>(std::min<std::size_t>(rows, sample_size));
  return around.dimension > 0 ? std::pow(m / (n * n * tenth), 2 / around.dimension) : 0;
}

Duplicates described(Groups& groups, const std::vector<std::size_t>& equal, const Labels& given) {
  Duplicates found;
  std::map<std::size_t, std::vector<std::size_t>> members;
  for (std::size_t i = 0; i < equal.size(); ++i) members[groups.first_of(i)].push_back(i);
  found.of.assign(equal.size(), -1);
  for (const auto& [first, samples] : members) {
    if (samples.size() < 2) continue;
    DuplicateGroup group{samples, true, false};
    for (const auto i : samples) {
      group.exact = group.exact && equal[i] == equal[first];
      group.labels_differ = group.labels_differ || given[i] != given[first];
      if (i != first) found.of[i] = static_cast<std::int64_t>(first);
    }
    found.groups.push_back(std::move(group));
  }
  std::stable_sort(found.groups.begin(), found.groups.end(), [](const auto& a, const auto& b) {
    if (a.labels_differ != b.labels_differ) return a.labels_differ;
    return a.samples.size() > b.samples.size();
  });
  return found;
}

}  // namespace

Duplicates find_duplicates(const torch::Tensor& rows, const Labels& given, const Surroundings& around,
                           const DuplicateSearch& search) {
  const auto dense = rows.contiguous();
  const auto equal = equal_rows(dense);
  Groups groups(equal.size());
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < equal.size(); ++i) {
    if (equal[i] == i) kept.push_back(i);
    groups.join(i, equal[i]);
  }
  const double by_chance = ratio_by_chance(kept.size(), around);
  std::vector<RowPair> asked;
  for (const auto& [ratio, pair] : near_pairs(dense, kept, around, search)) {
    if (ratio <= by_chance) {
      groups.join(pair.first, pair.second);
    } else if (search.lookalikes && asked.size() < search.most_asked) {
      asked.push_back(pair);
    }
  }
  if (!asked.empty()) {
    const auto alike = search.lookalikes(asked);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (alike[i]) groups.join(asked[i].first, asked[i].second);
    }
  }
  return described(groups, equal, given);
}

}  // namespace moblo::lab::clean
