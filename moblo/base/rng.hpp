#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace moblo::base {

/// xoshiro256** seeded by SplitMix64. The standard library's distributions differ between platforms; these do not,
/// and the whole state is four words that a checkpoint stores.
class Rng {
 public:
  using State = std::array<std::uint64_t, 4>;

  explicit Rng(std::uint64_t seed);

  std::uint64_t next();
  /// Uniform in [0, 1) with 53 bits.
  double uniform();
  /// Uniform in {0, .., bound - 1}, without modulo bias.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Box-Muller; one value per call, so that the state is the words alone).
  double normal();
  std::vector<std::int64_t> permutation(std::int64_t size);

  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  State state_;
};

/// A seed of its own for each use ("upper batches", "initial weights"), so that adding one use does not shift another.
std::uint64_t derive_seed(std::uint64_t seed, std::string_view purpose, std::uint64_t index = 0);

}  // namespace moblo::base

namespace moblo {

using base::derive_seed;
using base::Rng;

}  // namespace moblo
