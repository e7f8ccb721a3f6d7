#include <sys/stat.h>

#include "lab/readers/molecules.hpp"
#include "lab/readers/named_tensors.hpp"
#include "tests/lab/readers/made_arrays.hpp"

// Small files that ask for much, names that no file can have, and what is no file at all.
namespace moblo::lab::readers::testing {
namespace {

TEST(BoundedFiles, AnArchiveThatUnpacksToALotIsStopped) {
  const TemporaryFolder folder;
  const Members members{{"x", array<float>("<f4", "(17, 1048576)", std::vector<float>(17 << 20, 0))},
                        {"y", array<std::int32_t>("<i4", "(17,)", std::vector<std::int32_t>(17, 0))}};
  const auto bomb = write_zip(folder.path() / "bomb.npz", members, /*deflated=*/true);
  ASSERT_LT(std::filesystem::file_size(bomb), 1U << 18);
  expect_says(refusal_of(source_of(bomb)), {"x in ", "claims 68 MB", "at most 64 MB"});
  expect_says(refusal_when([&] { read_named_tensors(bomb); }), {"claims 68 MB"});
}

TEST(BoundedFiles, TooManySamplesAreRefusedBeforeTheyAreNamed) {
  const TemporaryFolder folder;
  constexpr std::size_t many = (1 << 24) + 1;
  const Members members{{"x", array<std::uint8_t>("|u1", fmt::format("({}, 1)", many), Content(many, 0))},
                        {"y", array<std::uint8_t>("|u1", fmt::format("({},)", many), Content(many, 0))}};
  expect_says(refusal_of(source_of(write_zip(folder.path() / "many.npz", members))), {"more than 16777216 samples"});
}

TEST(BoundedFiles, LongNamesArePutIntoWords) {
  const std::string name(300, 'n');
  for (const char* ending : {"", ".csv", ".npz", ".txt", "-images-idx3-ubyte"}) {
    expect_says(refusal_of(source_of(name + ending)), {"longer than a file's name can be"});
  }
  const TemporaryFolder folder;
  const auto listed = write_text(folder.path() / "list.txt", name + " cat\n");
  expect_says(refusal_of(source_of(listed)), {"does not exist"});
  auto source = source_of(listed, name);
  expect_says(refusal_of(source), {"longer than"});
  std::vector<std::string> notes;
  expect_says(refusal_when([&] { read_molecules(name, notes); }), {"longer than"});
}

TEST(BoundedFiles, APipeIsNotWaitedFor) {
  const TemporaryFolder folder;
  for (const char* name : {"pipe.npz", "pipe.csv", "pipe.xyz"}) {
    const auto pipe = folder.path() / name;
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    expect_says(refusal_of(source_of(pipe)), {"is not a regular file"});
  }
  expect_says(refusal_when([&] { read_named_tensors(folder.path() / "pipe.npz"); }), {"is not a regular file"});
  std::vector<std::string> notes;
  expect_says(refusal_when([&] { read_molecules(folder.path() / "pipe.xyz", notes); }), {"is not a regular file"});
}

}  // namespace
}  // namespace moblo::lab::readers::testing
