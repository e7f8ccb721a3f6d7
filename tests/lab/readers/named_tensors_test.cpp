#include "lab/readers/named_tensors.hpp"
#include "lab/readers/npz.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "lab/data/file_bytes.hpp"
#include "lab/data/half.hpp"
#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers::named_tensors_test {
namespace {

using ::testing::HasSubstr;

template <class T>
records::StoredTensor tensor(const std::string& name, const std::string& dtype, std::vector<std::int64_t> shape,
                             const std::vector<T>& values) {
  records::StoredTensor out{name, dtype, std::move(shape), {}};
  out.bytes.resize(values.size() * sizeof(T));
  std::memcpy(out.bytes.data(), values.data(), out.bytes.size());
  return out;
}

std::vector<float> floats(const records::StoredTensor& stored) {
  std::vector<float> values(stored.bytes.size() / sizeof(float));
  std::memcpy(values.data(), stored.bytes.data(), stored.bytes.size());
  return values;
}

std::string refusal(const std::filesystem::path& file) {
  return testing::refusal_when([&] { read_named_tensors(file); });
}

TEST(NamedTensors, OfAnNpzFileComeBackAsFloatsWithNamesAndShapes) {
  const testing::TemporaryFolder folder;
  const auto file = folder.path() / "weights.npz";
  write_named_tensors(file, {tensor<float>("layer.0.weight", "F32", {2, 1, 2}, {1, -2.5F, 3, 4}),
                             tensor<std::int64_t>("count", "I64", {}, {17}),
                             tensor<std::uint16_t>("half", "F16", {3}, {0x3c00, 0xc100, 0x0001})});
  const auto back = read_named_tensors(file);
  ASSERT_EQ(back.size(), 3);
  EXPECT_EQ(back[0].name, "layer.0.weight");
  EXPECT_EQ(back[0].shape, (std::vector<std::int64_t>{2, 1, 2}));
  EXPECT_EQ(floats(back[0]), (std::vector<float>{1, -2.5F, 3, 4}));
  EXPECT_TRUE(back[1].shape.empty());
  EXPECT_EQ(floats(back[1]), std::vector<float>{17});
  EXPECT_EQ(back[2].dtype, "F32");
  EXPECT_EQ(floats(back[2]), (std::vector<float>{1, -2.5F, std::ldexp(1.0F, -24)}));
}

TEST(NamedTensors, TheSameTensorsGiveTheSameBytes) {
  const testing::TemporaryFolder folder;
  const std::vector<records::StoredTensor> tensors{tensor<float>("w", "F32", {1}, {1})};
  for (const std::string name : {"a.npz", "b.npz", "a.npz"}) write_named_tensors(folder.path() / name, tensors);
  const auto limit = std::numeric_limits<std::uint32_t>::max();
  EXPECT_EQ(data::read_file_bytes(folder.path() / "a.npz", limit),
            data::read_file_bytes(folder.path() / "b.npz", limit));
}

TEST(NamedTensors, WhatCannotBeReadIsNamed) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(refusal(folder.path() / "weights.pth"), HasSubstr(".safetensors and .npz"));
  EXPECT_THAT(refusal(folder.path() / "none.npz"), HasSubstr("none.npz"));
  EXPECT_THAT(refusal(folder.path() / "none.safetensors"), HasSubstr("none.safetensors"));
  write_named_tensors(folder.path() / "bad.npz", {tensor<float>("layer.bias", "F32", {2}, {1, NAN})});
  EXPECT_THAT(refusal(folder.path() / "bad.npz"), HasSubstr("layer.bias"));
}

TEST(Halves, HaveTheValuesOfTheStandard) {
  EXPECT_EQ(data::half_value(0x7bff), 65504);
  EXPECT_EQ(data::half_value(0x0400), std::ldexp(1.0F, -14));
  EXPECT_EQ(data::half_value(0x83ff), -1023 * std::ldexp(1.0F, -24));
  EXPECT_EQ(data::half_value(0xfc00), -INFINITY);
  EXPECT_TRUE(std::isnan(data::half_value(0x7e00)));
}

}  // namespace
}  // namespace moblo::lab::readers::named_tensors_test
