#include "lab/data/idx.hpp"

#include "fuzz/dataset.hpp"

// An array of bytes as MNIST has it; 'f': images and labels as files, which may be compressed.
MOBLO_FUZZ_TARGET(idx) {
  using namespace moblo;
  static fuzz::ScratchFile images("images-idx3-ubyte"), labels("labels-idx1-ubyte");
  fuzz::Taker taker(input);
  const char kind = taker.take<char>();
  if (kind == 'f') {
    lab::data::NoisySource source;
    source.name = "fuzz";
    source.format = "idx";
    source.data = images.write(taker.until(fuzz::next_file));
    source.labels = labels.write(taker.rest());
    fuzz::read_dataset(source);
    return;
  }
  fuzz::accepts([&] {
    const std::size_t rank = static_cast<std::uint8_t>(kind) % 4;
    const auto array = lab::data::parse_idx(fuzz::bytes_of(taker.rest()), rank, "fuzz");
    std::int64_t values = 1;
    for (const auto size : array.shape) values *= size;
    fuzz::must(array.shape.size() == rank && values == static_cast<std::int64_t>(array.values.size()),
               "the shape is what is there");
  });
}
