#include "lab/data/npy.hpp"

#include "fuzz/target.hpp"

// One array of NumPy, as numbers and as names.
MOBLO_FUZZ_TARGET(npy) {
  using namespace moblo;
  using namespace moblo::lab;
  data::NpyArray array;
  if (!fuzz::accepts([&] { array = data::parse_npy(fuzz::bytes_of(input), "fuzz.npy"); })) return;
  std::uint64_t values = 1;
  for (const auto size : array.shape) values *= static_cast<std::uint64_t>(size);
  fuzz::must(array.count() == values && array.values.size() == values * array.item, "the shape is what is there");
  const auto convert = [&](const auto& as) {
    data::Problems problems(array.name);
    fuzz::accepts([&] {
      fuzz::must(as(array, problems).size() == values, "one entry per value");
      problems.refuse_if_any("");
    });
  };
  convert(data::npy_floats);
  convert(data::npy_doubles);
  convert(data::npy_texts);
}
