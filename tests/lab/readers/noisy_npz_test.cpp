#include <limits>

#include "lab/data/npy.hpp"
#include "moblo/base/rng.hpp"
#include "tests/lab/readers/made_arrays.hpp"
#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::readers::noisy_npz_test {
namespace {

using testing::array;
using testing::bytes_of;
using testing::Content;
using testing::expect_says;
using testing::idx_bytes;
using testing::Members;
using testing::npy_bytes;
using testing::npy_header;
using testing::refusal_of;
using testing::source_of;
using testing::TemporaryFolder;
using testing::write_gzip;
using testing::write_raw;
using testing::write_text;
using testing::write_zip;

Content marks(int count, int trusted) {
  std::vector<std::uint8_t> values;
  for (int i = 0; i < count; ++i) values.push_back(i < trusted);
  return array("|b1", fmt::format("({},)", count), values);
}

Content alternating_labels(int count) {
  std::vector<std::int64_t> values;
  for (int i = 0; i < count; ++i) values.push_back(i % 2);
  return array("<i8", fmt::format("({},)", count), values);
}

/// 20 samples of 2 features, all of which are right but for the member that is exchanged.
Members members_with(const std::string& name, const Content& content) {
  std::vector<float> x(40, 1.5F);
  Members members{{"x", array("<f4", "(20, 2)", x)}, {"y", alternating_labels(20)}, {"trusted", marks(20, 6)}};
  for (auto& member : members) {
    if (member.first == name) member.second = content;
  }
  return members;
}

/// numpy.savez_compressed(x=asfortranarray(arange(40).reshape(20, 2) * 0.25 - 3), y=array(['cat', 'd\u00f6g'] * 10),
/// ids=arange(100, 120), trusted=arange(20) < 6) of NumPy 1.24
constexpr const char* made_by_numpy =
    "504b0304140000000800000021008b21d952b2000000c001000005001400782e6e707901001000c001000000000000b2000000000000009d"
    "ce3b0e015114c6f14b44261311ef6773bb4b3285a8442466034441a11261262ae47a34621516c4122c4139a54231c51406ffd980aff9e59c"
    "939c7c97e164309ac6c4519cd4d2d92db4ea4ad5733bca92cadde8bd9eaf671bbd743efbb13e38e17ab79a6f9d706cb45b966c372d79967f"
    "c714df18b79f0914e85f7f3ef181511e7deee8a3b0f98706a63083392c60092b58c3247de218d0e3851ede23e9e1e10b038c477fd1c43466"
    "318f452c6315ebf61b504b0304140000000800000021005c2c2369580000007001000005001400792e6e7079010010007001000000000000"
    "58000000000000009bec17ea1b10c9c850c650ad9e925a9c5ca46ea5a06e136aacaea3a09e965f54529498179f5f94920a12774bcc294e05"
    "8a17672416a402f91a46063a9a3a0ab50ae403ae6406068644202e01e21420fe06c4e9403c5cc501504b030414000000080000002100fd3e"
    "19237900000020010000070014006964732e6e707901001000200100000000000079000000000000009dc8b10e82301845e1bafa14ddaa49"
    "07e2648cb39bc6c581c934f64750a0d8220ec6a7f085c5789ec0bb7cb9e7bd3b6cf7f9440dea69bca453342b6dd6d5d2586d8a10fbe8da63"
    "885ebe7de3ea24634fa5eb64fcb34566e756bff4ff9b7af59b6081672cb1c20b5eb1c6065b0cd8e10d2326ecf18e033ef003504b03041400"
    "0000080000002100c1c8e55b4a000000940000000b001400747275737465642e6e70790100100094000000000000004a000000000000009b"
    "ec17ea1b10c9c850c650ad9e925a9c5ca46ea5a05e9364a8aea3a09e965f54529498179f5f94920a12774bcc294e058a17672416a402f91a"
    "46063a9a3a0ab50ae4032e463060400100504b01021403140000000800000021008b21d952b2000000c00100000500000000000000000000"
    "00800100000000782e6e7079504b01021403140000000800000021005c2c236958000000700100000500000000000000000000008001e900"
    "0000792e6e7079504b0102140314000000080000002100fd3e19237900000020010000070000000000000000000000800178010000696473"
    "2e6e7079504b0102140314000000080000002100c1c8e55b4a000000940000000b000000000000000000000080012a020000747275737465"
    "642e6e7079504b05060000000004000400d4000000b10200000000";

Content from_hex(std::string_view text) {
  Content content;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
    content.push_back(static_cast<std::uint8_t>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  }
  return content;
}

TEST(NoisyNpz, ReadsWhatNumPyWrites) {
  const TemporaryFolder folder;
  const auto read = read_noisy_dataset(source_of(write_raw(folder.path() / "a.npz", from_hex(made_by_numpy))));
  ASSERT_EQ(read.size(), 20);
  EXPECT_EQ(read.classes, (std::vector<std::string>{"cat", "d\xc3\xb6g"}));
  EXPECT_EQ(read.shape, (std::vector<std::int64_t>{2}));
  EXPECT_FALSE(read.image);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(read.inputs[i], 0.25F * static_cast<float>(i) - 3);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(read.ids[i], std::to_string(100 + i));
    EXPECT_EQ(read.labels[i], static_cast<std::int64_t>(i % 2));
    EXPECT_EQ(read.trusted[i], i < 6);
  }
}

template <class T>
void expect_type(const std::string& descr) {
  const std::vector<T> values{0, 1, 100, std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), 7};
  data::Problems problems("made");
  const auto read = data::npy_floats(data::parse_npy(array(descr, "(3, 2)", values), "made"), problems);
  ASSERT_EQ(read.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(read[i], static_cast<float>(values[i])) << descr;
  }
  EXPECT_EQ(problems.any(), descr == "<f8") << "the largest double is no float";
}

TEST(Npy, EveryTypeOfNumber) {
  expect_type<float>("<f4");
  expect_type<double>("<f8");
  expect_type<std::int8_t>("|i1");
  expect_type<std::int16_t>("<i2");
  expect_type<std::int32_t>("<i4");
  expect_type<std::int64_t>("<i8");
  expect_type<std::uint8_t>("|u1");
  expect_type<std::uint16_t>("<u2");
  expect_type<std::uint32_t>("<u4");
  expect_type<std::uint64_t>("<u8");
}

TEST(Npy, AnyArrayComesBackInBothOrders) {
  Rng rng(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<std::size_t> sizes(1 + rng.below(4));
    std::string shape;
    std::size_t count = 1;
    for (auto& size : sizes) {
      size = 1 + rng.below(5);
      count *= size;
      shape += std::to_string(size) + ", ";
    }
    std::vector<float> values(count), columns_first(count);
    for (auto& value : values) value = static_cast<float>(rng.normal());
    for (std::size_t i = 0; i < count; ++i) {  // position in C order -> indices -> position in Fortran's order
      std::size_t rest = i, at = 0, stride = count;
      for (std::size_t d = sizes.size(); d-- > 0;) {
        stride /= sizes[d];
        at += rest % sizes[d] * stride;
        rest /= sizes[d];
      }
      columns_first[at] = values[i];
    }
    const auto version = static_cast<std::uint8_t>(1 + rng.below(3));
    data::Problems problems("made");
    const auto c = npy_bytes(npy_header("<f4", "(" + shape + ")"), bytes_of(values), version);
    const auto f = npy_bytes(npy_header("<f4", "(" + shape + ")", true), bytes_of(columns_first), version);
    ASSERT_EQ(data::npy_floats(data::parse_npy(c, "c"), problems), values);
    ASSERT_EQ(data::npy_floats(data::parse_npy(f, "f"), problems), values);
  }
}

std::string npy_refusal(const Content& content) {
  try {
    data::parse_npy(content, "made");
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
}

TEST(Npy, HeadersThatLieAreRefused) {
  const auto refusal = [](const std::string& header) { return npy_refusal(npy_bytes(header, {1, 2, 3, 4})); };
  expect_says(npy_refusal({'P', 'N', 'G', 0, 0, 0, 0, 0, 0, 0}), {"made: is not a NumPy array"});
  expect_says(npy_refusal({0x93, 'N', 'U'}), {"3 bytes, too few"});
  expect_says(npy_refusal(npy_bytes("{}", {}, 9)), {"version 9"});
  expect_says(refusal("{}"), {"lacks one of"});
  expect_says(refusal("nothing"), {"is not a dictionary"});
  expect_says(refusal("{'descr': '<f4"), {"never closed"});
  expect_says(refusal("{'descr': '<f4', 'fortran_order': 1"), {"neither True nor False"});
  expect_says(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 'x'}"), {"unknown key 'more'"});
  expect_says(refusal("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}"), {"several fields"});
  expect_says(refusal(npy_header("|O", "(1,)")), {"Python objects", "astype(str)"});
  expect_says(refusal(npy_header("|O8", "(1,)")), {"Python objects"});
  expect_says(refusal(npy_header(">f4", "(1,)")), {"big endian"});
  expect_says(refusal(npy_header("<c8", "(1,)")), {"type '<c8'"});
  expect_says(refusal(npy_header("<f4", "(2,)")), {"cut short: its header claims"});
  expect_says(refusal(npy_header("|u1", "(3,)")), {"longer than"});
  expect_says(refusal(npy_header("<f4", "(0, 2)")), {"size of 0"});
  expect_says(refusal(npy_header("<f4", "(-1,)")), {"not a whole number"});
  expect_says(refusal(npy_header("<f4", "(1000000000,)")), {"claims more than"});
  expect_says(refusal(npy_header("<f4", "(4294967296, 4294967296)")), {"claims more than"});
  expect_says(refusal(npy_header("<f4", "(99999999999999999999,)")), {"not a whole number"});
  expect_says(refusal(npy_header("<f4", "(400000000,)")), {"cut short"});
  expect_says(refusal(npy_header("<U99999999", "(1,)")), {"type"});
}

TEST(Npy, EveryTruncationIsRefused) {
  const auto whole = array<float>("<f4", "(2, 2)", {1, 2, 3, 4});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(npy_refusal({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}), "") << length;
  }
}

TEST(NoisyNpz, StoredAndDeflatedAlike) {
  const TemporaryFolder folder;
  Rng rng(4);
  std::vector<float> x(300000);  // several pieces
  for (auto& value : x) value = static_cast<float>(rng.normal());
  const Members members{{"features", array("<f4", "(1000, 300)", x)},
                        {"labels", alternating_labels(1000)},
                        {"trusted", marks(1000, 100)}};
  for (const bool deflated : {false, true}) {
    const auto read = read_noisy_dataset(source_of(write_zip(folder.path() / "a.npz", members, deflated)));
    EXPECT_EQ(read.inputs, x);
    EXPECT_EQ(read.ids[7], "7");
  }
}

TEST(NoisyNpz, BytesOfRankThreeAreImages) {
  const TemporaryFolder folder;
  const auto read = [&](const Content& x) {
    return read_noisy_dataset(source_of(write_zip(folder.path() / "a.npz", members_with("x", x))));
  };
  const auto grey = read(array<std::uint8_t>("|u1", "(20, 2, 3)", std::vector<std::uint8_t>(120, 51)));
  EXPECT_TRUE(grey.image);
  EXPECT_EQ(grey.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_FLOAT_EQ(grey.inputs[0], 0.2F);
  const auto colour = read(array<float>("<f4", "(20, 2, 1, 3)", std::vector<float>(120, 0.5F)));
  EXPECT_TRUE(colour.image);
  EXPECT_EQ(colour.shape, (std::vector<std::int64_t>{2, 1, 3}));
  const auto features = read(array<float>("<f4", "(20, 2, 3)", std::vector<float>(120, 2)));
  EXPECT_FALSE(features.image);
  EXPECT_EQ(features.shape, (std::vector<std::int64_t>{6}));
}

TEST(NoisyNpz, ProblemsAreNamed) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name, const Content& content) {
    return refusal_of(source_of(write_zip(folder.path() / "a.npz", members_with(name, content))));
  };
  std::vector<float> x(40, 1);
  x[7] = std::numeric_limits<float>::quiet_NaN();
  x[9] = std::numeric_limits<float>::infinity();
  expect_says(refusal("x", array("<f4", "(20, 2)", x)),
              {"2 problems", "sample 3, value 1: nan", "sample 4, value 1: inf"});
  expect_says(refusal("x", array("<f4", "(40,)", x)), {"has 1 dimensions"});
  expect_says(refusal("x", array("<f4", "(2000000000, 2)", x)), {"x in ", "claims more than"});
  expect_says(refusal("y", alternating_labels(19)), {"y in ", "19 values for 20 samples"});
  expect_says(refusal("y", array("<f8", "(20,)", std::vector<double>(20, 0.5))), {"sample 0: 0.5 is not a whole"});
  expect_says(refusal("y", array("|S2", "(20,)", std::vector<char>(40, 0))), {"sample 0: the label is missing"});
  expect_says(refusal("trusted", array("|u1", "(20,)", std::vector<std::uint8_t>(20, 3))), {"'3' is neither 0 nor 1"});
  const auto file = write_zip(folder.path() / "b.npz", {{"z", alternating_labels(20)}});
  expect_says(refusal_of(source_of(file)), {"no array called x or inputs or features; there are 'z'"});
  const auto npy = write_raw(folder.path() / "x.npy", array("<f4", "(20, 2)", x));
  expect_says(refusal_of(source_of(npy)), {"an npy file holds no labels", "--labels"});
}

TEST(NoisyNpz, ArraysInFilesOfTheirOwn) {
  const TemporaryFolder folder;
  auto source = source_of(write_raw(folder.path() / "x.npy", array("<f4", "(20, 2)", std::vector<float>(40, 3))));
  source.labels = write_raw(folder.path() / "y.npy", alternating_labels(20));
  source.trusted = write_raw(folder.path() / "t.npy", marks(20, 4));
  EXPECT_TRUE(read_noisy_dataset(source).trusted[3]);
  source.trusted = write_text(folder.path() / "t.txt", "0\n5\n");
  EXPECT_TRUE(read_noisy_dataset(source).trusted[5]);
  source.trusted = write_zip(folder.path() / "t.npz",
                             {{"x", array("<f4", "(2, 2)", std::vector<float>(4, 3))}, {"y", alternating_labels(2)}});
  const auto read = read_noisy_dataset(source);
  EXPECT_EQ(read.size(), 22);
  EXPECT_EQ(read.ids[21], "trusted:1");
  source.trusted = write_zip(folder.path() / "t.npz",
                             {{"x", array("<f4", "(2, 3)", std::vector<float>(6, 3))}, {"y", alternating_labels(2)}});
  expect_says(refusal_of(source), {"t.npz", "3 features", "2 features"});
}

TEST(NoisyNpz, ABombIsStoppedByWhatTheArrayClaims) {
  const TemporaryFolder folder;
  Content bomb = array<std::uint8_t>("|u1", "(20, 2)", {});
  bomb.resize(bomb.size() + (64 << 20));  // 64 MiB of zeros after a header that claims 40 bytes
  const auto file = write_zip(folder.path() / "a.npz", members_with("x", bomb), true);
  EXPECT_LT(std::filesystem::file_size(file), 100000U);
  expect_says(refusal_of(source_of(file)), {"x in ", "longer than"});
}

TEST(NoisyNpz, ADamagedArchiveIsNeverReadAsOtherData) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "a.npz";
  const auto whole = from_hex(made_by_numpy);
  const auto right = read_noisy_dataset(source_of(write_raw(file, whole)));
  for (std::size_t length = 0; length < whole.size(); length += 5) {
    write_raw(file, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    EXPECT_NE(refusal_of(source_of(file)), "") << length;
  }
  for (std::size_t bit = 0; bit < 8 * whole.size(); bit += 7) {
    auto damaged = whole;
    damaged[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    write_raw(file, damaged);
    try {
      const auto read = read_noisy_dataset(source_of(file));
      ASSERT_EQ(read.inputs, right.inputs) << bit;
      ASSERT_EQ(read.labels, right.labels) << bit;
    } catch (const Error& error) {
      ASSERT_NE(std::string(error.what()).find(file.string()), std::string::npos) << error.what();
    }
  }
}

Content pixels(std::size_t count) {
  Content values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<std::uint8_t>(i));
  return values;
}

TEST(NoisyIdx, ImagesLabelsAndTrustedIndices) {
  const TemporaryFolder folder;
  Content labels;
  for (int i = 0; i < 30; ++i) labels.push_back(i % 3 == 2 ? 7 : i % 3);
  auto source = source_of(write_gzip(folder.path() / "train-images-idx3-ubyte.gz", idx_bytes({30, 2, 3}, pixels(180))));
  expect_says(refusal_of(source), {"holds no labels", "--labels"});
  write_raw(folder.path() / "train-labels-idx1-ubyte", idx_bytes({30}, labels));
  source.trusted = write_text(folder.path() / "trusted.txt", "0\n1\n4\n");
  const auto read = read_noisy_dataset(source);
  EXPECT_TRUE(read.image);
  EXPECT_EQ(read.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(read.classes, (std::vector<std::string>{"0", "1", "7"}));
  EXPECT_EQ(read.labels[2], 2);
  EXPECT_FLOAT_EQ(read.inputs[102], 0.4F);
  EXPECT_TRUE(read.trusted[4] && !read.trusted[3]);
  source.trusted = write_text(folder.path() / "trusted.txt", "30\n");
  expect_says(refusal_of(source), {"'30' is not an id"});

  source.trusted = write_raw(folder.path() / "extra", idx_bytes({3, 2, 3}, pixels(18)));
  expect_says(refusal_of(source), {"--trusted-labels"});
  source.trusted_labels = write_raw(folder.path() / "extra-labels", idx_bytes({3}, {0, 1, 7}));
  const auto more = read_noisy_dataset(source);
  EXPECT_EQ(more.size(), 33);
  EXPECT_EQ(more.ids[32], "trusted:2");
  source.trusted_labels = write_raw(folder.path() / "extra-labels", idx_bytes({2}, {0, 1}));
  expect_says(refusal_of(source), {"2 labels for the 3 images"});
}

}  // namespace
}  // namespace moblo::lab::readers::noisy_npz_test
