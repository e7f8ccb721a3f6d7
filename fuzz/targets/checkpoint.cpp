#include <algorithm>
#include <optional>

#include "fuzz/target.hpp"
#include "moblo/records/tensor_file.hpp"
#include "moblo/records/tensor_layout.hpp"

namespace moblo::fuzz {
namespace {

using records::tensor_layout::Checksum, records::tensor_layout::Extent;

struct CheckpointLayout {
  std::vector<records::StoredTensor> tensors;
  std::vector<Extent> extents;
};

/// get() of another number would be undefined beyond the range of its type.
bool are_whole(const Json& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](const Json& number) { return number.is_number_integer(); });
}

/// As far as the header can be read; where it cannot, the reader refuses it before it looks at the checksum.
std::optional<CheckpointLayout> layout_of(const Json& header) {
  CheckpointLayout layout;
  try {
    for (auto entry = header.begin(); entry != header.end(); ++entry) {
      if (entry.key() == "__metadata__") continue;
      const Json& offsets = entry.value().at("data_offsets");
      if (!are_whole(offsets) || !are_whole(entry.value().at("shape"))) return std::nullopt;
      layout.tensors.push_back({entry.key(),
                                entry.value().at("dtype").get<std::string>(),
                                entry.value().at("shape").get<std::vector<std::int64_t>>(),
                                {}});
      layout.extents.push_back({offsets.at(0).get<std::uint64_t>(), offsets.at(1).get<std::uint64_t>()});
    }
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  return layout;
}

/// The file with the checksum that belongs to it: mutations get behind it.
std::string checkpoint_text(Json header, const std::string& state, Input data) {
  const auto layout = layout_of(header);
  std::string sum = "00000000";
  if (layout) {
    Checksum checksum(layout->tensors, layout->extents, state);
    checksum.add(std::as_bytes(data));
    sum = checksum.text();
  }
  header["__metadata__"] = {{"moblo.state", state}, {"moblo.crc32", sum}};
  const std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(text.size() >> (8 * i) & 0xff);
  return file.append(text).append(text_of(data));
}

}  // namespace
}  // namespace moblo::fuzz

// Three parts: the header's JSON without metadata, the state's JSON, the data.
MOBLO_FUZZ_TARGET(checkpoint) {
  using namespace moblo;
  static fuzz::ScratchFile file("step-000000001.safetensors");
  fuzz::Taker taker(input);
  const Json header = base::parse_json(fuzz::text_of(taker.until(fuzz::next_file)));
  if (!header.is_object()) return;
  const std::string state(fuzz::text_of(taker.until(fuzz::next_file)));
  const std::string text = fuzz::checkpoint_text(header, state, taker.rest());
  file.write(text);
  fuzz::accepts([&] { fuzz::must(records::read_tensor_state(file.path()).is_object(), "a state is an object"); });
  fuzz::accepts([&] {
    const auto content = records::read_tensor_file(file.path(), /*require_checksum=*/true);
    fuzz::must(content.state.is_object(), "a state is an object");
    std::size_t bytes = 0;
    for (const auto& tensor : content.tensors) {
      fuzz::must(tensor.bytes.size() == records::tensor_layout::expected_bytes(tensor), "a tensor has its bytes");
      bytes += tensor.bytes.size();
    }
    fuzz::must(bytes == taker.rest().size(), "the tensors are the data");
  });
}
