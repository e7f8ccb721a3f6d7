#include "lab/clean/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "lab/data/parallel.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::clean {
namespace {

constexpr std::int64_t block = 256, wide = 64, probes = 2;
constexpr double never = std::numeric_limits<double>::infinity();

torch::Tensor chosen_rows(std::int64_t rows, std::int64_t count, std::uint64_t seed, const char* purpose) {
  auto order = Rng(derive_seed(seed, purpose)).permutation(rows);
  order.resize(static_cast<std::size_t>(std::min(rows, count)));
  std::sort(order.begin(), order.end());
  return torch::tensor(order, torch::kInt64);
}

torch::Tensor squares(const torch::Tensor& rows) {
  return rows.square().sum(1);
}

/// |a - b|^2 up to |a|^2, which does not change the order.
torch::Tensor closeness(const torch::Tensor& queries, const torch::Tensor& reference, const torch::Tensor& squared) {
  return torch::addmm(squared.unsqueeze(0), queries, reference.t(), 1, -2);
}

/// The products above lose small distances to rounding.
torch::Tensor exact_distances(const torch::Tensor& rows, const torch::Tensor& others, const torch::Tensor& index) {
  const auto near =
      others.index_select(0, index.clamp_min(0).reshape({-1})).reshape({index.size(0), index.size(1), -1});
  return (near - rows.unsqueeze(1)).square().sum(2).sqrt().masked_fill(index < 0, never);
}

void in_blocks(std::int64_t rows, int threads,
               const std::function<void(std::int64_t first, std::int64_t count)>& work) {
  data::for_each_number((rows + block - 1) / block, static_cast<unsigned>(std::max(0, threads)), [&](std::int64_t b) {
    const torch::NoGradGuard no_grad;
    at::set_num_threads(1);
    work(b * block, std::min(block, rows - b * block));
  });
}

Neighbours empty(std::int64_t rows, std::int64_t k) {
  return {torch::full({rows, k}, -1, torch::kInt64), torch::full({rows, k}, never, torch::kFloat32)};
}

/// The nearest of `reference`, which is `rows` itself where each row's own entry is left out.
Neighbours search(const torch::Tensor& rows, const torch::Tensor& reference, std::int64_t k, bool without_itself,
                  int threads) {
  auto found = empty(rows.size(0), k);
  const auto squared = squares(reference);
  const auto most = std::min(k, reference.size(0) - (without_itself ? 1 : 0));
  if (most <= 0) return found;
  in_blocks(rows.size(0), threads, [&](std::int64_t first, std::int64_t count) {
    const auto part = rows.narrow(0, first, count);
    auto close = closeness(part, reference, squared);
    if (without_itself) close.narrow(1, first, count).fill_diagonal_(never);
    const auto index = std::get<1>(close.topk(most, 1, /*largest=*/false));
    const auto distance = exact_distances(part, reference, index);
    const auto order = distance.argsort(/*stable=*/true, 1, /*descending=*/false);
    found.index.narrow(0, first, count).narrow(1, 0, most).copy_(index.gather(1, order));
    found.distance.narrow(0, first, count).narrow(1, 0, most).copy_(distance.gather(1, order));
  });
  return found;
}

/// Distances hardly change (Johnson and Lindenstrauss), and what is found is measured in the rows themselves.
torch::Tensor narrowed(const torch::Tensor& rows, std::uint64_t seed) {
  if (rows.size(1) <= wide) return rows;
  Rng rng(derive_seed(seed, "projection"));
  auto directions = torch::empty({rows.size(1), wide}, torch::kFloat32);
  auto* value = directions.data_ptr<float>();
  for (std::int64_t i = 0; i < directions.numel(); ++i) value[i] = static_cast<float>(rng.normal());
  return rows.matmul(directions);
}

torch::Tensor cell_centres(const torch::Tensor& rows, std::int64_t cells, std::uint64_t seed, int threads) {
  constexpr std::int64_t members = 32;
  constexpr int rounds = 8;
  const auto sample = rows.index_select(0, chosen_rows(rows.size(0), members * cells, seed, "k-means"));
  auto centres = sample.index_select(0, chosen_rows(sample.size(0), cells, seed, "centres")).clone();
  for (int round = 0; round < rounds; ++round) {
    const auto cell = nearest_among(sample, centres, 1, threads).index.squeeze(1);
    auto sums = torch::zeros_like(centres).index_add_(0, cell, sample);
    const auto counts = torch::bincount(cell, {}, cells).to(torch::kFloat32).unsqueeze(1);
    centres = torch::where(counts > 0, sums / counts.clamp_min(1), centres);
  }
  return centres;
}

/// Rows by the cell that is their nearest but `probe` others.
std::vector<std::vector<std::int64_t>> members_of(const torch::Tensor& cells, std::int64_t probe, std::int64_t count) {
  std::vector<std::vector<std::int64_t>> members(static_cast<std::size_t>(count));
  const auto own = cells.select(1, probe).contiguous();
  const auto* cell = own.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < own.numel(); ++i) members[static_cast<std::size_t>(cell[i])].push_back(i);
  return members;
}

/// Puts what was found in one more cell to what was found before.
void merge(Neighbours& found, const torch::Tensor& rows, const torch::Tensor& index, const torch::Tensor& distance) {
  const auto k = found.index.size(1);
  const auto all_index = torch::cat({found.index.index_select(0, rows), index}, 1);
  const auto all_distance = torch::cat({found.distance.index_select(0, rows), distance}, 1);
  const auto order = all_distance.argsort(/*stable=*/true, 1, /*descending=*/false).narrow(1, 0, k);
  found.index.index_copy_(0, rows, all_index.gather(1, order));
  found.distance.index_copy_(0, rows, all_distance.gather(1, order));
}

Neighbours search_in_cells(const torch::Tensor& rows, std::int64_t k, std::uint64_t seed, int threads) {
  constexpr std::size_t most_times = 8;  // so many times the usual number of a cell are looked at
  const torch::NoGradGuard no_grad;
  const auto count = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rows.size(0))));
  const auto narrow = narrowed(rows, seed);
  const auto cells = nearest_among(narrow, cell_centres(narrow, count, seed, threads), probes, threads).index;
  auto members = members_of(cells, 0, count);
  const auto usual = static_cast<std::size_t>(rows.size(0) / count);
  auto found = empty(rows.size(0), k);
  for (std::int64_t probe = 0; probe < probes; ++probe) {
    const auto queries = members_of(cells, probe, count);
    data::for_each_number(count, static_cast<unsigned>(std::max(0, threads)), [&](std::int64_t cell) {
      const torch::NoGradGuard no_grad_here;
      at::set_num_threads(1);
      auto own = members[static_cast<std::size_t>(cell)];
      if (own.size() > most_times * usual) own.resize(most_times * usual);
      const auto& asking = queries[static_cast<std::size_t>(cell)];
      if (own.empty() || asking.empty()) return;
      const auto near = torch::tensor(own, torch::kInt64);
      const auto near_narrow = narrow.index_select(0, near), squared = squares(near_narrow);
      for (std::size_t first = 0; first < asking.size(); first += block) {
        const auto last = std::min(asking.size(), first + block);
        const auto part = torch::tensor(std::vector<std::int64_t>(asking.begin() + static_cast<std::ptrdiff_t>(first),
                                                                  asking.begin() + static_cast<std::ptrdiff_t>(last)),
                                        torch::kInt64);
        auto close = closeness(narrow.index_select(0, part), near_narrow, squared);
        close.masked_fill_(part.unsqueeze(1) == near.unsqueeze(0), never);
        const auto [value, at] = close.topk(std::min(k, near.size(0)), 1, /*largest=*/false);
        const auto index = near.index_select(0, at.reshape({-1})).reshape(at.sizes()).masked_fill(value == never, -1);
        merge(found, part, index, exact_distances(rows.index_select(0, part), rows, index));
      }
    });
  }
  return found;
}

double levina_bickel(const torch::Tensor& distances) {
  const auto dense = distances.to(torch::kFloat64).contiguous();
  double sum = 0;
  std::int64_t terms = 0;
  for (std::int64_t i = 0; i < dense.size(0); ++i) {
    const auto* d = dense[i].data_ptr<double>();
    const double last = d[dense.size(1) - 1];
    for (std::int64_t j = 0; j + 1 < dense.size(1); ++j) {
      if (d[j] > 0 && last > d[j] && std::isfinite(last)) sum += std::log(last / d[j]), ++terms;
    }
  }
  return sum > 0 ? static_cast<double>(terms) / sum : 0;
}

}  // namespace

Neighbours nearest_among(const torch::Tensor& rows, const torch::Tensor& reference, std::int64_t k, int threads) {
  return search(rows, reference, k, /*without_itself=*/false, threads);
}

Neighbours nearest_rows(const torch::Tensor& rows, std::int64_t k, std::uint64_t seed, int threads,
                        std::int64_t exact_rows) {
  if (rows.size(0) <= exact_rows) return search(rows, rows, k, /*without_itself=*/true, threads);
  return search_in_cells(rows, k, seed, threads);
}

Surroundings surroundings(const torch::Tensor& rows, std::uint64_t seed, int threads) {
  const auto sample = rows.index_select(0, chosen_rows(rows.size(0), sample_size, seed, "surroundings"));
  const auto k = std::min(tenth + 1, sample.size(0));
  const auto near = nearest_among(rows, sample, k, threads).distance.to(torch::kFloat64).contiguous();
  Surroundings out;
  for (std::int64_t i = 0; i < near.size(0); ++i) {
    const auto* d = near[i].data_ptr<double>();
    const bool met_itself = d[0] == 0;  // or an equal row, which is no measure of room either
    out.radius.push_back(d[std::max<std::int64_t>(0, met_itself ? k - 1 : k - 2)]);
  }
  out.dimension = levina_bickel(near);
  return out;
}

}  // namespace moblo::lab::clean
