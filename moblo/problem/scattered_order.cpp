#include "moblo/problem/scattered_order.hpp"

#include <bit>

#include "moblo/base/rng.hpp"

namespace moblo::problem {

ScatteredOrder::ScatteredOrder(std::uint64_t seed, std::int64_t size)
    : size_(static_cast<std::uint64_t>(size)), half_bits_((std::bit_width(size_ - (size_ > 1)) + 1) / 2) {
  if (half_bits_ == 0) half_bits_ = 1;
  Rng rng(seed);
  for (auto& key : keys_) key = rng.next();
}

/// A Feistel network: whatever the round function, each round can be undone, hence the whole is a bijection of the
/// 2 half_bits_ bits.
std::uint64_t ScatteredOrder::encrypt(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_, right = value & mask;
  for (const std::uint64_t key : keys_) {
    std::uint64_t mixed = (right + key) * 0x9E3779B97F4A7C15ULL;
    mixed ^= mixed >> 32;
    mixed *= 0xD6E8FEB86659FD93ULL;
    const std::uint64_t next = left ^ ((mixed >> 32) & mask);
    left = right;
    right = next;
  }
  return (left << half_bits_) | right;
}

/// Values beyond the size are encrypted again until they fall below it: still a bijection, four rounds at most on
/// average, as the network's range is less than four times the size.
std::int64_t ScatteredOrder::operator()(std::int64_t position) const {
  std::uint64_t value = static_cast<std::uint64_t>(position);
  do {
    value = encrypt(value);
  } while (value >= size_);
  return static_cast<std::int64_t>(value);
}

}  // namespace moblo::problem
