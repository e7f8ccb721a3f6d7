#include <cmath>

#include "fuzz/target.hpp"
#include "moblo/records/event_file.hpp"

namespace moblo::fuzz {
namespace {

/// CRC-32C bit by bit, as RFC 3720 defines it, and TensorFlow's mask.
std::uint32_t plain_masked_crc(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0x82f63b78U : crc >> 1;
  }
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8U;
}

/// A reader of its own: frames of a record file, then fields of protocol buffers.
class WireReader {
 public:
  explicit WireReader(std::string_view text) : rest_(text) {}

  bool empty() const { return rest_.empty(); }
  std::string_view take(std::uint64_t count) {
    must(count <= rest_.size(), "lengths of events are right");
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value |= shift < 64 ? static_cast<std::uint64_t>(byte & 0x7f) << shift : 0;
      if (byte < 0x80) return value;
    }
    must(false, "a varint ends");
    return 0;
  }
  std::string_view counted() { return take(varint()); }
  std::string_view frame() {
    const auto length = take(8);
    must(number<std::uint32_t>() == plain_masked_crc(length), "the checksum of a length is right");
    std::uint64_t count;
    std::memcpy(&count, length.data(), sizeof count);
    const auto content = take(count);
    must(number<std::uint32_t>() == plain_masked_crc(content), "the checksum of an event is right");
    return content;
  }

 private:
  std::string_view rest_;
};

constexpr std::uint64_t key(unsigned field, unsigned type) {
  return field << 3 | type;
}

void check_summary(std::string_view summary, const records::Scalars& expected) {
  WireReader values(summary);
  for (const auto& [tag, number] : expected) {
    must(values.varint() == key(1, 2), "a value of the summary follows");
    WireReader value(values.counted());
    must(value.varint() == key(1, 2) && value.counted() == tag, "the tag is kept");
    must(value.varint() == key(2, 5), "a float follows");
    const auto found = value.number<float>(), wanted = static_cast<float>(number);
    must(found == wanted || (std::isnan(found) && std::isnan(wanted)), "the number is kept");
    must(value.empty(), "nothing follows the number");
  }
  must(values.empty(), "nothing follows the values");
}

}  // namespace
}  // namespace moblo::fuzz

// Scalars with any tags, written as an event of TensorBoard and read back.
MOBLO_FUZZ_TARGET(events) {
  using namespace moblo;
  fuzz::Taker taker(input);
  const auto time = taker.take<double>();
  const auto step = taker.take<std::int64_t>();
  records::Scalars scalars;
  while (!taker.empty()) {
    const auto value = taker.take<double>();
    const auto length = taker.take<std::uint8_t>();
    scalars.emplace_back(std::string(fuzz::text_of(taker.bytes(length))), value);
  }
  const std::string text =
      records::tf_record(records::version_event(time)) + records::tf_record(records::scalar_event(time, step, scalars));
  fuzz::WireReader file(text);
  file.frame();
  fuzz::WireReader event(file.frame());
  fuzz::must(event.varint() == fuzz::key(1, 1), "the time stands first");
  const auto found = event.number<double>();
  fuzz::must(found == time || (std::isnan(found) && std::isnan(time)), "the time is kept");
  bool summary = false;
  while (!event.empty()) {
    const auto field = event.varint();
    if (field == fuzz::key(2, 0)) {
      fuzz::must(static_cast<std::int64_t>(event.varint()) == step, "the step is kept");
    } else {
      fuzz::must(field == fuzz::key(5, 2), "no other field is there");
      fuzz::check_summary(event.counted(), scalars);
      summary = true;
    }
  }
  fuzz::must(summary && file.empty(), "the event is whole");
}
