#include "fuzz/target.hpp"
#include "lab/data/file_bytes.hpp"

// A file that may be compressed, read up to a limit.
MOBLO_FUZZ_TARGET(gzip) {
  using namespace moblo;
  static fuzz::ScratchFile file("data.gz");
  fuzz::Taker taker(input);
  const std::uint64_t limit = taker.take<std::uint16_t>();
  file.write(taker.rest());
  fuzz::accepts([&] {
    const auto bytes = lab::data::read_file_bytes(file.path(), limit);
    fuzz::must(bytes.size() <= limit + 1, "no more is read than asked for");
  });
}
