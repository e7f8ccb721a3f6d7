#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "moblo/base/options.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::aggregation {

/// Of a weighting that draws at random.
struct SeededOptions {
  std::int64_t seed = 0;  ///< a run gives it its own

  /// What is drawn in step k, a function of the seed and k alone.
  Rng draws(std::string_view purpose, std::int64_t k) const {
    return Rng(derive_seed(static_cast<std::uint64_t>(seed), purpose, static_cast<std::uint64_t>(k)));
  }
};

/// The field above, in the table of an options struct that derives from it.
template <class O>
void add_seed_field(OptionTable<O>& t, const std::string& of_what) {
  t.template add<std::int64_t>("seed", &O::seed, of_what + "; the run's where it is not given", at_least(0));
}

}  // namespace moblo::aggregation
