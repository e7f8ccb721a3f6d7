#include "lab/metrics/delta_p.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "moblo/base/error.hpp"
#include "tests/lab/metrics/paper_tables.hpp"

namespace moblo::lab::metrics {
namespace {

using testing::paper_tables;
using testing::PrintedRow;
using testing::PrintedTable;

/// Half a unit of the last printed digit.
double rounding(const std::string& printed) {
  const auto point = printed.find('.');
  return 0.5 * std::pow(10, point == printed.npos ? 0 : -static_cast<double>(printed.size() - point - 1));
}

ComparedTasks compare(const PrintedTable& table, const PrintedRow& row) {
  ComparedTasks tasks;
  std::size_t at = 0;
  for (const auto& readings : table.tasks) {
    auto& task = tasks.emplace_back();
    for (const auto better : readings) {
      task.push_back({std::stod(row.metrics[at]), std::stod(table.rows[0].metrics[at]), better});
      ++at;
    }
  }
  return tasks;
}

/// The largest or smallest delta_p that metrics can have which are printed like this: each metric, its own and the
/// single-task one, anywhere within half a unit of its last digit. (delta_p is monotone in either.)
double extreme(const PrintedTable& table, const PrintedRow& row, double sign) {
  ComparedTasks tasks = compare(table, row);
  std::size_t at = 0;
  for (auto& task : tasks) {
    for (auto& metric : task) {
      const double direction = sign * (metric.better == Better::higher ? 1 : -1);
      metric.value += direction * rounding(row.metrics[at]);
      metric.single_task -= direction * rounding(table.rows[0].metrics[at]);
      ++at;
    }
  }
  return delta_p(tasks);
}

bool is_misprint(const PrintedTable& table, const PrintedRow& row) {
  return table.name == "Table 3" && row.method == "FORUM";
}

TEST(DeltaP, EveryRowOfThePapersTablesIsReproducedToRounding) {
  for (const auto& table : paper_tables()) {
    ASSERT_EQ(table.rows.size(), 16U) << table.name;
    for (const auto& row : table.rows) {
      const double printed = std::stod(row.delta_p), last_digit = rounding(row.delta_p);
      if (is_misprint(table, row)) continue;
      EXPECT_LE(extreme(table, row, -1) - last_digit, printed) << table.name << ", " << row.method;
      EXPECT_GE(extreme(table, row, 1) + last_digit, printed) << table.name << ", " << row.method;
      // Metrics are printed with few digits (0.062 in Table 5), so that delta_p of the printed ones differs from the
      // printed delta_p by up to 0.013 in Table 3 and 0.79 in Table 5; the bounds are set just above what is found.
      const double tolerance = table.name == "Table 5" ? 0.01 * std::abs(printed) : 0.015;
      EXPECT_NEAR(delta_p(compare(table, row)), printed, tolerance) << table.name << ", " << row.method;
    }
  }
}

/// Table 3 prints +0.96 for FORUM; its own row 85.64 / 98.63 / 97.96 gives +1.05, and no rounding explains it.
TEST(DeltaP, TheRowOfForumInTable3IsAMisprint) {
  const auto& table = paper_tables()[0];
  const auto& row = table.rows.back();
  ASSERT_TRUE(is_misprint(table, row));
  EXPECT_EQ(row.delta_p, "0.96");
  EXPECT_NEAR(delta_p(compare(table, row)), 1.0544, 5e-5);
  EXPECT_GT(extreme(table, row, -1) - rounding(row.delta_p), 0.96);
}

TEST(DeltaP, TasksCountAlikeHoweverManyMetricsTheyHave) {
  const ComparedMetric tenth_better{110, 100, Better::higher}, same{5, 5, Better::lower};
  EXPECT_NEAR(delta_p({{tenth_better}, {same, same, same}}), 5, 1e-12);
  EXPECT_NEAR(delta_p({{tenth_better, same}, {same}}), 2.5, 1e-12);
}

TEST(DeltaP, LowerMayBeBetter) {
  EXPECT_NEAR(delta_p({{{0.5, 1, Better::lower}}}), 50, 1e-12);
  EXPECT_NEAR(delta_p({{{0.5, 1, Better::higher}}}), -50, 1e-12);
}

TEST(DeltaP, RefusesWhatNothingCanBeRelativeTo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(delta_p({}), Error);
  EXPECT_THROW(delta_p({{}}), Error);
  EXPECT_THROW(delta_p({{{1, 0}}}), Error);
  EXPECT_THROW(delta_p({{{1, nan}}}), Error);
}

}  // namespace
}  // namespace moblo::lab::metrics
