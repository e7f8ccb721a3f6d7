#pragma once

#include "moblo/base/options.hpp"

namespace moblo {

/// What the methods with a lower loop share.
enum class InnerStart { current, initial };
enum class InnerBatches { fresh, one };

template <>
struct EnumNames<InnerStart> {
  static constexpr std::array values{std::pair{"current", InnerStart::current},
                                     std::pair{"initial", InnerStart::initial}};
};
template <>
struct EnumNames<InnerBatches> {
  static constexpr std::array values{std::pair{"fresh", InnerBatches::fresh}, std::pair{"one", InnerBatches::one}};
};

}  // namespace moblo
