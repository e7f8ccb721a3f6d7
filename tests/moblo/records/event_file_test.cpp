#include "moblo/records/event_file.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>

#include "moblo/base/json.hpp"
#include "tests/golden.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::records {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    constexpr const char* digits = "0123456789abcdef";
    text += {digits[static_cast<unsigned char>(c) >> 4], digits[c & 15]};
  }
  return text;
}

/// A reader written from the format: TFRecord framing, then fields of a protocol buffer.
class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  bool finished() const { return at_ == bytes_.size(); }

  std::uint64_t fixed(std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) value |= static_cast<std::uint64_t>(byte(at_ + i)) << (8 * i);
    at_ += size;
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto next = byte(at_++);
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
  }

  std::string take(std::size_t size) {
    at_ += size;
    return bytes_.substr(at_ - size, size);
  }

 private:
  unsigned char byte(std::size_t at) const { return static_cast<unsigned char>(bytes_.at(at)); }
  std::string bytes_;
  std::size_t at_ = 0;
};

struct Field {
  std::uint64_t number = 0, value = 0;
  std::string bytes;
};

std::vector<Field> fields_of(const std::string& message) {
  std::vector<Field> fields;
  for (Reader reader(message); !reader.finished();) {
    const auto key = reader.varint();
    Field field{key >> 3, 0, ""};
    if ((key & 7) == 0) field.value = reader.varint();
    if ((key & 7) == 1) field.value = reader.fixed(8);
    if ((key & 7) == 5) field.value = reader.fixed(4);
    if ((key & 7) == 2) field.bytes = reader.take(reader.varint());
    fields.push_back(field);
  }
  return fields;
}

const Field& field(const std::vector<Field>& fields, std::uint64_t number) {
  for (const auto& one : fields) {
    if (one.number == number) return one;
  }
  static const Field none;
  return none;
}

std::vector<std::vector<Field>> events_of(const std::filesystem::path& file) {
  std::vector<std::vector<Field>> events;
  for (Reader reader(fixtures::text_of(file)); !reader.finished();) {
    const auto length_bytes = reader.take(8);
    EXPECT_EQ(reader.fixed(4), masked_crc32c(length_bytes));
    const auto message = reader.take(Reader(length_bytes).fixed(8));
    EXPECT_EQ(reader.fixed(4), masked_crc32c(message));
    events.push_back(fields_of(message));
  }
  return events;
}

TEST(EventFile, HasTheBytesOfAnIndependentEncoder) {
  const auto expected = golden::read("event_file.json");
  EXPECT_EQ(expected["version"], hex(tf_record(version_event(1.5e9))));
  EXPECT_EQ(expected["start"], hex(tf_record(start_event(1.5e9, 300))));
  EXPECT_EQ(expected["scalars"],
            hex(tf_record(scalar_event(1700000000.25, 123456789012,
                                       {{"losses/F1", 0.5}, {"weights/λ1", -1e-30}, {"stationarity/K", HUGE_VAL}}))));
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(expected["image"], hex(tf_record(image_event(1700000001, 7, "suspects/mnist/1", 28, 300, 1, bytes))));
}

TEST(EventFile, IsReadBackAsItWasWritten) {
  fixtures::TemporaryFolder folder;
  EventFile file(folder.path(), 0);
  for (std::int64_t k = 0; k < 200; ++k) file.add(k, {{"a", static_cast<double>(k) / 2}, {"b", -1}});
  file.add_image(200, "picture", 2, 3, 1, "png");
  file.flush();
  EXPECT_THAT(file.path().filename().string(), testing::StartsWith("events.out.tfevents."));
  const auto events = events_of(file.path());
  ASSERT_EQ(events.size(), 202u);
  EXPECT_EQ(field(events[0], 3).bytes, "brain.Event:2");
  EXPECT_EQ(field(events[150], 2).value, 149u);
  const auto values = fields_of(field(events[150], 5).bytes);
  ASSERT_EQ(values.size(), 2u);
  const auto first = fields_of(values[0].bytes);
  EXPECT_EQ(field(first, 1).bytes, "a");
  EXPECT_EQ(std::bit_cast<float>(static_cast<std::uint32_t>(field(first, 2).value)), 74.5f);
  const auto image = fields_of(field(fields_of(fields_of(field(events[201], 5).bytes)[0].bytes), 4).bytes);
  EXPECT_EQ(field(image, 1).value, 2u);
  EXPECT_EQ(field(image, 2).value, 3u);
  EXPECT_EQ(field(image, 4).bytes, "png");
}

TEST(EventFile, OfARunThatGoesOnIsANewOneThatTakesBackLaterSteps) {
  fixtures::TemporaryFolder folder;
  EventFile first(folder.path(), 0), second(folder.path(), 42);
  second.flush();
  EXPECT_LT(first.path().string(), second.path().string()) << "TensorBoard reads them by name";
  const auto events = events_of(second.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(field(events[1], 2).value, 42u);
  EXPECT_EQ(field(fields_of(field(events[1], 7).bytes), 1).value, 1u) << "SessionLog.START";
}

}  // namespace
}  // namespace moblo::records
