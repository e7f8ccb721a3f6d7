#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"
#include "moblo/base/runtime.hpp"
#include "moblo/base/status.hpp"
#include "moblo/base/text.hpp"

namespace moblo::base {
namespace {

TEST(Rng, RepeatsWithItsSeedAndFromItsState) {
  Rng a(7), b(7), c(8);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), c.next());
  const auto state = a.state();
  const auto next = a.normal();
  Rng d(0);
  d.restore(state);
  EXPECT_EQ(d.normal(), next);
}

TEST(Rng, PermutationHoldsEveryIndexOnce) {
  auto order = Rng(3).permutation(100);
  EXPECT_FALSE(std::is_sorted(order.begin(), order.end()));
  EXPECT_EQ(std::set<std::int64_t>(order.begin(), order.end()).size(), 100U);
}

TEST(Rng, UniformAndNormalHaveTheRightMoments) {
  Rng rng(1);
  constexpr int draws = 100000;
  double uniform = 0, normal = 0, square = 0;
  for (int i = 0; i < draws; ++i) {
    uniform += rng.uniform();
    const double x = rng.normal();
    normal += x;
    square += x * x;
  }
  // Standard deviations of the means are 0.0009, 0.003 and 0.0045: five of each.
  EXPECT_NEAR(uniform / draws, 0.5, 0.005);
  EXPECT_NEAR(normal / draws, 0, 0.016);
  EXPECT_NEAR(square / draws, 1, 0.023);
}

TEST(DeriveSeed, DiffersByPurposeIndexAndSeed) {
  const std::set<std::uint64_t> seeds{derive_seed(0, "a"), derive_seed(0, "b"), derive_seed(1, "a"),
                                      derive_seed(0, "a", 1)};
  EXPECT_EQ(seeds.size(), 4U);
}

TEST(BlasKernel, AnOldKernelOnANewCpuIsCorrected) {
  const Cpu avx512{.model = "", .cores = 2, .avx2 = true, .avx512 = true}, avx2{.model = "", .cores = 2, .avx2 = true};
  EXPECT_EQ(better_blas_kernel(avx512, "Prescott", false), "SkylakeX");
  EXPECT_EQ(better_blas_kernel(avx512, "Sandybridge", false), "SkylakeX");
  EXPECT_EQ(better_blas_kernel(avx2, "Prescott", false), "Haswell");
}

TEST(BlasKernel, AFittingKernelAnOldCpuAndTheUsersChoiceAreLeftAlone) {
  const Cpu avx512{.model = "", .cores = 2, .avx2 = true, .avx512 = true}, old{};
  for (const char* fitting : {"SkylakeX", "Cooperlake", "SapphireRapids", "Haswell", "Zen"}) {
    EXPECT_EQ(better_blas_kernel(avx512, fitting, false), "") << fitting;
  }
  EXPECT_EQ(better_blas_kernel(old, "Prescott", false), "");
  EXPECT_EQ(better_blas_kernel(avx512, "Prescott", true), "");
  EXPECT_EQ(better_blas_kernel(avx512, "", false), "");  // another BLAS than OpenBLAS
}

TEST(BlasKernel, ALibraryIsToldWhatToSet) {
  const Cpu avx2{.model = "", .cores = 2, .avx2 = true};
  EXPECT_NE(blas_advice(avx2, {.library = "", .kernel = "Prescott"}, false).find("OPENBLAS_CORETYPE=Haswell"),
            std::string::npos);
  EXPECT_EQ(blas_advice(avx2, {.library = "", .kernel = "Haswell"}, false), "");
}

TEST(RunStatus, NamesGoBothWays) {
  for (const auto status : {RunStatus::running, RunStatus::completed, RunStatus::converged, RunStatus::plateau,
                            RunStatus::time_limit, RunStatus::interrupted, RunStatus::non_finite, RunStatus::failed}) {
    EXPECT_EQ(run_status(name(status)), status);
  }
  EXPECT_FALSE(run_status("nonsense"));
}

TEST(Text, NearestFindsMisspellingsOnly) {
  const std::vector<std::string> known{"forum", "moml", "bome"};
  EXPECT_EQ(nearest("forun", known), "forum");
  EXPECT_EQ(nearest("FORUM", known), "forum");
  EXPECT_EQ(nearest("xyzzyplugh", known), "");
}

TEST(Text, DurationsAndSizesReadWell) {
  EXPECT_EQ(human_seconds(12.34), "12.3 s");
  EXPECT_EQ(human_seconds(245), "4 min 05 s");
  EXPECT_EQ(human_seconds(12000), "3 h 20 min");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1.5 * 1024 * 1024), "1.5 MiB");
}

}  // namespace
}  // namespace moblo::base
