#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "tests/system/runs.hpp"

namespace moblo::system_test {
namespace {

/// `moblo --version --verbose` as key and value.
std::map<std::string, std::string> described(const std::map<std::string, std::optional<std::string>>& environment) {
  const auto result = run_program({{"--version", "--verbose"}, {}, environment});
  expect_done(result);
  EXPECT_TRUE(result.out.starts_with("moblo ")) << result.out;
  std::map<std::string, std::string> found;
  for (const auto& line : lines_that_start(result.out, "  ")) {
    std::istringstream words(line);
    std::string key, value;
    words >> key >> std::ws;
    std::getline(words, value);
    found[key] = value;
  }
  return found;
}

/// The environment that makes the launcher see a BLAS with this kernel.
std::map<std::string, std::optional<std::string>> with_kernel(const std::string& kernel) {
  return {{"MOBLO_BLAS_LIBRARY", FAKE_BLAS}, {"FAKE_BLAS_KERNEL", kernel}, {"OPENBLAS_CORETYPE", std::nullopt}};
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

TEST(Runtime, IsShownByTheVerboseVersion) {
  auto shown = described({});
  for (const auto* key : {"moblo", "cpu", "cores", "simd", "torch", "torch_threads", "allocator"}) {
    EXPECT_NE(shown[key], "") << key;
  }
  for (const auto* key : {"blas_library", "blas_kernel", "blas_threads", "OPENBLAS_CORETYPE"}) {
    EXPECT_TRUE(shown.contains(key)) << key;
  }
}

TEST(Runtime, CorrectsAKernelThatDoesNotFitTheMachine) {
  if (!has_avx2()) GTEST_SKIP() << "this CPU has no AVX2: its old kernel is the right one";
  auto shown = described(with_kernel("Prescott"));
  EXPECT_EQ(shown["OPENBLAS_CORETYPE"], shown["simd"] == "avx512" ? "SkylakeX" : "Haswell");
  EXPECT_EQ(shown["blas_library"].find("fake"), std::string::npos) << "the engine describes the library it uses";
  const bool is_open_blas = !shown["blas_kernel"].empty();
  EXPECT_EQ(shown["blas_kernel"], is_open_blas ? shown["OPENBLAS_CORETYPE"] : "");
}

TEST(Runtime, LeavesAKernelThatFitsAlone) {
  EXPECT_EQ(described(with_kernel("SkylakeX"))["OPENBLAS_CORETYPE"], "");
}

TEST(Runtime, LeavesTheUsersOwnChoiceAlone) {
  auto environment = with_kernel("Prescott");
  environment["OPENBLAS_CORETYPE"] = "Haswell";
  EXPECT_EQ(described(environment)["OPENBLAS_CORETYPE"], "Haswell");
}

TEST(Runtime, WorksWithALibraryThatIsNoOpenBlas) {
  auto environment = with_kernel("Prescott");
  environment["MOBLO_BLAS_LIBRARY"] = "/nowhere/libblas.so";
  EXPECT_EQ(described(environment)["OPENBLAS_CORETYPE"], "");
}

TEST(Runtime, StandsInTheManifest) {
  const TemporaryFolder folder;
  auto environment = with_kernel("Prescott");
  environment["OPENBLAS_CORETYPE"] = "Haswell";
  expect_done(run_program({synthetic_run(folder / "run", {"iterations=2", "threads=1"}), {}, environment}));
  const auto manifest = read_json(folder / "run" / "manifest.json");
  ASSERT_TRUE(manifest.contains("runtime")) << manifest.dump();
  const auto& runtime = manifest["runtime"];
  for (const auto* key : {"moblo", "compiler", "cpu", "cores", "simd", "torch", "allocator", "blas_threads"}) {
    EXPECT_TRUE(runtime.contains(key)) << key;
  }
  EXPECT_EQ(runtime["torch_threads"], 1);
  EXPECT_EQ(runtime["OPENBLAS_CORETYPE"], "Haswell");
  EXPECT_TRUE(runtime["blas_kernel"] == "Haswell" || runtime["blas_library"] == "") << runtime.dump();
  EXPECT_EQ(manifest["config"]["problem"], "synthetic");
}

}  // namespace
}  // namespace moblo::system_test
