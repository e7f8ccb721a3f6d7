#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "lab/data/dataset_store.hpp"
#include "lab/readers/listed_pictures.hpp"
#include "lab/readers/molecules.hpp"
#include "lab/readers/scenes.hpp"

namespace moblo::lab::readers {
namespace {

/// Where MOBLO_DATA, or the cache, holds the dataset; otherwise the test is skipped.
#define REQUIRE_DATASET(folder, name)                                 \
  const auto folder = data::locate_dataset(data::find_dataset(name)); \
  if (!folder) GTEST_SKIP() << name << " is not here; `moblo data where " << name << "` says where to get it"

TEST(RealOffice31, HasAllImagesOfTheLists) {
  REQUIRE_DATASET(folder, "office31");
  ListedPicturesOptions options;
  options.side = 32;
  options.cache = false;
  std::vector<std::string> notes;
  const auto pictures = read_office31(*folder, "dslr", "test", options, notes);
  EXPECT_EQ(pictures.count, 122);
  EXPECT_EQ(*std::max_element(pictures.labels.begin(), pictures.labels.end()), 30);
}

/// The floor is what a derived normal can be judged by: it must point up, against y, which points down.
TEST(RealNyuv2, FloorsPointUp) {
  REQUIRE_DATASET(folder, "nyuv2");
  ScenesOptions options;
  options.height = 48;
  options.width = 64;
  options.cache = false;
  std::vector<std::string> notes;
  const auto scenes = read_scenes(*folder, ScenesPart::test, options, notes);
  const std::int64_t pixels = scenes.height * scenes.width;
  std::int64_t floor = 0, up = 0;
  for (std::int64_t scene = 0; scene < scenes.count; ++scene) {
    for (std::int64_t i = 0; i < pixels; ++i) {
      const float y = scenes.normals[static_cast<std::size_t>((3 * scene + 1) * pixels + i)];
      if (scenes.labels[static_cast<std::size_t>(scene * pixels + i)] != 4 || y == 0) continue;
      ++floor;
      up += y < -0.8F;
    }
  }
  RecordProperty("share_of_floor_that_points_up", std::to_string(static_cast<double>(up) / static_cast<double>(floor)));
  EXPECT_GT(static_cast<double>(up), 0.8 * static_cast<double>(floor));
}

TEST(RealQm9, MoleculesAreWholeAndObeyTheirValences) {
  REQUIRE_DATASET(folder, "qm9");
  std::vector<std::string> notes;
  const auto molecules = read_molecules(*folder, notes);
  const auto share = [&](const char* what) {
    return molecules.provenance[what].get<double>() / static_cast<double>(molecules.count);
  };
  std::printf("%s\n", notes.back().c_str());
  EXPECT_GT(share("connected"), 0.999);
  EXPECT_GT(share("usual_valences"), 0.98);
  for (std::size_t i = 6; i < molecules.targets.size(); i += Molecules::properties) {
    ASSERT_LT(molecules.targets[i], -2000);    // atomisation energies: every molecule is bound
    ASSERT_GT(molecules.targets[i], -150000);  // and none by more than 150 eV
  }
}

}  // namespace
}  // namespace moblo::lab::readers
