#include <fmt/format.h>

#include <charconv>
#include <set>
#include <string_view>

#include "lab/experiments/plan.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::experiments {

std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  const auto refuse = [&]() -> Error {
    return {ErrorKind::usage, fmt::format("--seeds {}", text), "is not a list of seeds",
            "Write 0..2 for 0, 1 and 2, or 0,3,5"};
  };
  const auto number = [&](std::string_view part) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (part.empty() || error != std::errc() || end != part.data() + part.size() || value > (1ULL << 62))
      throw refuse();
    return value;
  };
  std::vector<std::uint64_t> seeds;
  if (const auto dots = text.find(".."); dots != std::string::npos) {
    const auto first = number(std::string_view(text).substr(0, dots)),
               last = number(std::string_view(text).substr(dots + 2));
    if (last < first || last - first > 9999) throw refuse();
    for (auto seed = first; seed <= last; ++seed) seeds.push_back(seed);
    return seeds;
  }
  std::string_view rest = text;
  while (true) {
    const auto comma = rest.find(',');
    seeds.push_back(number(rest.substr(0, comma)));
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  const std::set<std::uint64_t> distinct(seeds.begin(), seeds.end());
  if (distinct.size() != seeds.size()) throw refuse();
  return seeds;
}

}  // namespace moblo::lab::experiments
