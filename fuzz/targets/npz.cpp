#include "lab/readers/npz.hpp"

#include <zlib.h>

#include "fuzz/dataset.hpp"

namespace moblo::fuzz {
namespace {

/// A zip archive of stored members with right checksums, so that mutations of the members get past them.
class ZipText {
 public:
  void add(const std::string& name, std::string_view content) {
    const auto sum =
        static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(content.data()), content.size()));
    const auto size = static_cast<std::uint32_t>(content.size());
    const std::uint32_t offset = static_cast<std::uint32_t>(text_.size());
    std::string common;
    put(common, 20, 2), put(common, 0, 2), put(common, 0, 2), put(common, 0, 2), put(common, 0x21, 2);
    put(common, sum, 4), put(common, size, 4), put(common, size, 4), put(common, name.size(), 2), put(common, 0, 2);
    text_.append("PK\3\4").append(common).append(name).append(content);
    directory_.append("PK\1\2");
    put(directory_, 20, 2);
    directory_.append(common);
    put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 2), put(directory_, 0, 4);
    put(directory_, offset, 4);
    directory_.append(name);
    ++members_;
  }
  std::string finish() {
    std::string end = "PK\5\6";
    put(end, 0, 2), put(end, 0, 2), put(end, members_, 2), put(end, members_, 2);
    put(end, directory_.size(), 4), put(end, text_.size(), 4), put(end, 0, 2);
    return text_ + directory_ + end;
  }

 private:
  static void put(std::string& to, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i) & 0xff);
  }

  std::string text_, directory_;
  std::size_t members_ = 0;
};

void read_whole_archive(const std::filesystem::path& file) {
  accepts([&] {
    const lab::readers::NpzFile archive(file);
    for (const auto& name : archive.names()) accepts([&] { archive.read(name); });
  });
}

}  // namespace
}  // namespace moblo::fuzz

// 'z': an archive as it is. Otherwise the members x, y, trusted and ids of a dataset.
MOBLO_FUZZ_TARGET(npz) {
  using namespace moblo;
  static fuzz::ScratchFile file("samples.npz");
  fuzz::Taker taker(input);
  if (taker.take<char>() == 'z') {
    fuzz::read_whole_archive(file.write(taker.rest()));
    return;
  }
  fuzz::ZipText archive;
  for (const char* name : {"x.npy", "y.npy", "trusted.npy", "ids.npy"}) {
    if (!taker.empty()) archive.add(name, fuzz::text_of(taker.until(fuzz::next_file)));
  }
  file.write(archive.finish());
  lab::data::NoisySource source;
  source.name = "fuzz";
  source.data = file.path();
  source.format = "npz";
  fuzz::read_dataset(source);
}
