#include "moblo/records/front_record.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "moblo/base/error.hpp"

namespace moblo::records::front_record_test {
namespace {

namespace fs = std::filesystem;

FrontRecord two_points() {
  FrontRecord front;
  front.title = "Two points";
  front.problem = "quadratic";
  front.method = "forum";
  front.seed = 7;
  front.objectives = {"loss", "gap, squared"};
  front.reference_point = {1.1, 2.2};
  front.hypervolume = 0.5;
  front.refit_hypervolume = 0.25;
  front.points.push_back({.index = 0, .preference = {0.2, 0.8}, .losses = {1, 0.1}, .refit_losses = {1, 0.2}});
  front.points.push_back({.index = 1,
                          .round = 1,
                          .preference = {0.8, 0.2},
                          .limits = {{"loss", 0.3}},
                          .warm_start_from = 0,
                          .losses = {1.0 / 3, 2},
                          .run = "points/001",
                          .model = "points/001/model.safetensors",
                          .status = "completed",
                          .dominated = true,
                          .refit_dominated = false});
  front.extremes = {1, 0};
  front.knee = 1;
  front.hypervolume_history = {{1, 0.2}, {2, 0.5}};
  front.rounds = 2;
  front.stopped_because = "all points done";
  return front;
}

TEST(FrontRecord, ComesBackFromItsFileAsItWasWritten) {
  const auto folder = fs::temp_directory_path() / "moblo_front_record_test";
  fs::create_directories(folder);
  const auto front = two_points();
  write_front(folder, front);
  const auto read = read_front(folder);
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json(*read).dump(), to_json(front).dump());
  EXPECT_EQ(read->points[1].losses[0], 1.0 / 3);
  // A changed digit is found by the checksum.
  auto text = to_json(front);
  std::string file((std::istreambuf_iterator<char>(std::ifstream(folder / "front.json").rdbuf())), {});
  file.replace(file.find("0.25"), 4, "0.26");
  std::ofstream(folder / "front.json") << file;
  EXPECT_THROW(read_front(folder), Error);
  fs::remove_all(folder);
  EXPECT_FALSE(read_front(folder));
}

TEST(FrontRecord, RefusesReferencesToPointsThatAreNotThere) {
  const auto refused = [](auto change) {
    Json json = to_json(two_points());
    change(json);
    EXPECT_THROW(front_record(json), Error) << json.dump();
  };
  refused([](Json& json) { json["knee"] = 2; });
  refused([](Json& json) { json["extremes"] = {0, -1}; });
  refused([](Json& json) { json["extremes"] = {0, "1"}; });
  refused([](Json& json) { json["points"][1]["warm_start_from"] = 5; });
  refused([](Json& json) { json["points"][1]["index"] = 0; });
  refused([](Json& json) { json["points"][0]["losses"] = {1}; });
  refused([](Json& json) { json["points"][0]["preference"] = Json::array(); });
  refused([](Json& json) { json["version"] = 2; });
  refused([](Json& json) { json["format"] = "another"; });
  refused([](Json& json) { json.erase("points"); });
  EXPECT_NO_THROW(front_record(to_json(two_points())));
}

TEST(FrontRecord, TableHasOneRowPerPoint) {
  EXPECT_EQ(front_csv(two_points()),
            "index,round,warm_start_from,preference loss,\"preference gap, squared\",loss loss,\"loss gap, squared\","
            "refit loss loss,\"refit loss gap, squared\",status,dominated,refit_dominated,knee,run\n"
            "0,0,,0.2,0.8,1,0.1,1,0.2,,0,,0,\n"
            "1,1,0,0.8,0.2,0.3333333333333333,2,,,completed,1,0,1,points/001\n");
}

}  // namespace
}  // namespace moblo::records::front_record_test
