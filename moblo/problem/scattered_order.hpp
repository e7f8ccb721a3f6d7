#pragma once

#include <array>
#include <cstdint>

namespace moblo::problem {

/// A permutation of {0, .., size - 1} that is computed one element at a time: no memory, no time, in `size`. Not as
/// uniform as a shuffle (a keyed bijection is one of 2^384 orders), which costs a pass over all samples per epoch.
class ScatteredOrder {
 public:
  ScatteredOrder(std::uint64_t seed, std::int64_t size);
  std::int64_t operator()(std::int64_t position) const;

 private:
  std::uint64_t encrypt(std::uint64_t value) const;

  std::uint64_t size_;
  int half_bits_;
  std::array<std::uint64_t, 6> keys_;
};

}  // namespace moblo::problem
