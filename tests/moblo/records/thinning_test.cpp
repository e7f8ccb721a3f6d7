#include "moblo/records/thinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "moblo/records/run_folder.hpp"
#include "tests/moblo/records/run_fixtures.hpp"

namespace moblo::records::thinning_test {
namespace {

StepRecord step(std::int64_t k) {
  StepRecord record;
  record.k = k;
  record.losses = {std::sin(1e-3 * static_cast<double>(k)), static_cast<double>(k)};
  record.q = k == 777'777 ? 1e6 : 1.0 / static_cast<double>(k + 1);
  record.kkt = k % 3 == 0 ? std::nan("") : 1;
  return record;
}

std::vector<StepRecord> thinned(std::int64_t count) {
  StepThinner thinner;
  for (std::int64_t k = 0; k < count; ++k) thinner.add(step(k));
  return thinner.take();
}

TEST(Thinning, KeepsEveryRecordOfARunOfOrdinaryLength) {
  const auto count = static_cast<std::int64_t>(StepThinner::most_exact);
  const auto all = thinned(count);
  ASSERT_EQ(all.size(), StepThinner::most_exact);
  for (std::int64_t k = 0; k < count; ++k) ASSERT_EQ(all[static_cast<std::size_t>(k)].k, k);
}

TEST(Thinning, KeepsFirstLastAndExtremesOfALongRunInBoundedMemory) {
  for (const std::int64_t count : {100'001, 100'321, 1'000'000}) {
    const auto kept = thinned(count);
    EXPECT_EQ(kept.front().k, 0);
    EXPECT_EQ(kept.back().k, count - 1);
    EXPECT_LE(kept.size(), StepThinner::most_stretches * 64);
    EXPECT_TRUE(std::is_sorted(kept.begin(), kept.end(), [](const auto& a, const auto& b) { return a.k < b.k; }));
    const auto has = [&](std::int64_t k) {
      return std::any_of(kept.begin(), kept.end(), [k](const StepRecord& record) { return record.k == k; });
    };
    EXPECT_EQ(has(777'777), count > 777'777);  // the spike of q
    for (std::int64_t turn = 0; turn * 3141.59 + 1571 < static_cast<double>(count); turn += 7) {
      const auto top = static_cast<std::int64_t>(std::llround(1570.796 + 3141.593 * static_cast<double>(turn)));
      EXPECT_TRUE(std::any_of(kept.begin(), kept.end(),
                              [&](const StepRecord& record) {
                                return std::abs(record.losses[0] - std::sin(1e-3 * static_cast<double>(top))) < 1e-2 &&
                                       std::abs(record.k - top) < 200;
                              }))
          << "the turn of the wave at " << top << " of " << count;
    }
  }
}

TEST(Thinning, TimesAreSampledAndTheirSumIsExact) {
  TimingThinner thinner;
  for (std::int64_t k = 0; k < 300'000; ++k) thinner.add({k, {{"lower", 0.5}, {"upper", 0.25}}, k});
  EXPECT_DOUBLE_EQ(thinner.sum().seconds[0].second, 150'000);
  EXPECT_DOUBLE_EQ(thinner.sum().seconds[1].second, 75'000);
  EXPECT_EQ(thinner.sum().peak_bytes, 299'999);
  const auto kept = thinner.take();
  EXPECT_LE(kept.size(), StepThinner::most_exact);
  for (std::size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i].k, 4 * static_cast<std::int64_t>(i));
}

TEST(ReadStep, FindsAnyIterationInTheFile) {
  const fixtures::TemporaryFolder folder;
  const auto run = folder / "run";
  {
    auto writer = RunFolder::create(run, fixtures::sample_manifest());
    for (std::int64_t k = 0; k < 300; k += 3) writer.append(fixtures::sample_step(k));
  }
  for (std::int64_t k = -1; k < 305; ++k) {
    const auto found = read_step(run, k);
    ASSERT_EQ(found.has_value(), k >= 0 && k < 300 && k % 3 == 0) << k;
    if (found) {
      EXPECT_EQ(*found, fixtures::sample_step(k));
    }
  }
  EXPECT_FALSE(read_step(folder / "nowhere", 0));
}

}  // namespace
}  // namespace moblo::records::thinning_test
