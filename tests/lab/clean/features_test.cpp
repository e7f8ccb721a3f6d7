#include "lab/clean/features.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "lab/clean/jobs.hpp"
#include "lab/clean/pictures.hpp"
#include "lab/nets/squeezenet.hpp"
#include "lab/readers/listed_pictures.hpp"
#include "lab/readers/named_tensors.hpp"
#include "lab/report/png.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/text.hpp"
#include "tests/lab/readers/noisy_files.hpp"

namespace moblo::lab::clean::features_test {
namespace {

namespace fs = std::filesystem;
using readers::testing::refusal_when;
using readers::testing::TemporaryFolder;
using testing::HasSubstr;

std::vector<std::uint8_t> made_pixels(std::int64_t side, std::int64_t channels, std::uint64_t seed) {
  Rng rng(seed);
  const auto a = rng.uniform(), b = rng.uniform();
  std::vector<std::uint8_t> pixels;
  for (std::int64_t i = 0; i < side * side * channels; ++i) {
    const auto at = static_cast<double>(i / channels);
    pixels.push_back(static_cast<std::uint8_t>(100 + 80 * std::sin(a * at + static_cast<double>(i % channels)) +
                                               40 * std::sin(b * at / static_cast<double>(side))));
  }
  return pixels;
}

void write_picture(const fs::path& file, std::int64_t side, std::int64_t channels,
                   const std::vector<std::uint8_t>& pixels) {
  const auto png = report::png(side, side, channels, pixels);
  readers::testing::write_raw(file, {png.begin(), png.end()});
}

/// 24 images in two folders, and weights where `--features auto` finds them.
class Features : public testing::Test {
 protected:
  Features() {
    torch::manual_seed(1);
    fs::create_directories(made.path() / "weights");
    readers::write_named_tensors(weights(), nets::weights_of(*nets::SqueezeNet()));
    setenv("MOBLO_DATA", (made.path() / "data").c_str(), 1);
    make_photos("photos", 3);
  }
  ~Features() override { unsetenv("MOBLO_DATA"); }

  void make_photos(const std::string& name, std::int64_t channels) {
    for (std::uint64_t i = 0; i < 24; ++i) {
      const auto file = made.path() / name / (i % 2 ? "cat" : "dog") / fmt::format("{:02}.png", i / 2);
      fs::create_directories(file.parent_path());
      write_picture(file, 8, channels, made_pixels(8, channels, i));
    }
  }
  fs::path weights() const { return made.path() / "weights" / "squeezenet1_1_imagenet.npz"; }
  FeatureMaking making(int threads = 0) const { return {.threads = threads, .store = made.path() / "store"}; }

  data::NoisyDataset read(const std::string& choice, FeatureMaking how, const std::string& name = "photos") {
    data::NoisySource source;
    source.name = "photos";
    source.data = made.path() / name;
    source.trusted = made.path() / "trusted.txt";
    source.features = choice;
    readers::testing::write_text(source.trusted, "cat/00.png\ncat/01.png\ndog/00.png\ndog/01.png\n");
    NetworkFeatures features(choice, made.path(), std::move(how));
    notes.clear();
    return readers::read_noisy_dataset(source, &notes, &features);
  }
  std::string said() const { return base::join(notes, "\n"); }

  const TemporaryFolder made;
  readers::ReadingNotes notes;
};

TEST_F(Features, AreThoseOfTheNetworkOnTheResizedImage) {
  const auto data = read("auto", making());
  EXPECT_EQ(data.shape, std::vector<std::int64_t>{512});
  EXPECT_FALSE(data.image);
  ASSERT_EQ(data.pictures.size(), 24u);
  EXPECT_THAT(said(), HasSubstr("24 images go in as 512 features of squeezenet1_1 (24 made now)"));

  nets::SqueezeNet network;
  nets::load_weights(*network, readers::read_named_tensors(weights()), "weights");
  network->eval();
  const torch::NoGradGuard no_grad;
  for (const std::size_t i : {std::size_t{0}, std::size_t{13}}) {
    std::string why;
    const auto picture = readers::network_picture(data.pictures[i], 224, why);
    auto planes = torch::empty({1, 3, 224, 224});
    readers::normalise_pixels(picture->pixels, {planes.data_ptr<float>(), picture->pixels.size()});
    const auto expected = network->pooled(planes).squeeze(0);
    const auto found = torch::from_blob(const_cast<float*>(data.inputs.data() + 512 * i), {512});
    EXPECT_TRUE(torch::allclose(found, expected, 1e-5, 1e-6)) << i;
  }
}

TEST_F(Features, AreMadeOnceWhateverTheThreads) {
  const auto first = read("squeezenet", making(1)).inputs;
  EXPECT_EQ(read("squeezenet", making()).inputs, first);
  EXPECT_THAT(said(), HasSubstr("all were made before"));
  fs::remove_all(made.path() / "store");
  EXPECT_EQ(read("squeezenet", making(3)).inputs, first);
  EXPECT_THAT(said(), HasSubstr("24 made now"));
  fs::remove(made.path() / "photos" / "cat" / "11.png");
  write_picture(made.path() / "photos" / "cat" / "99.png", 8, 3, made_pixels(8, 3, 99));
  read("squeezenet", making());
  EXPECT_THAT(said(), HasSubstr("1 made now")) << "others are known by what they hold";
}

TEST_F(Features, OfADamagedStoreAreMadeAgain) {
  const auto first = read("auto", making()).inputs;
  std::size_t damaged = 0;
  for (const auto& entry : fs::recursive_directory_iterator(made.path() / "store")) {
    if (!entry.is_regular_file() || damaged++ > 0) continue;
    fs::resize_file(entry, fs::file_size(entry) / 2);
  }
  EXPECT_EQ(read("auto", making()).inputs, first);
  EXPECT_THAT(said(), HasSubstr("made again"));
}

TEST_F(Features, ThatAreInterruptedGoOn) {
  const auto whole = read("auto", making()).inputs;
  fs::remove_all(made.path() / "store");
  std::atomic<bool> stop{false};
  auto how = making(1);
  how.stop = &stop;
  how.listener = [&](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(all, 24);
    if (done == 5) stop = true;
  };
  EXPECT_THROW(read("auto", how), Interrupted);
  EXPECT_EQ(read("auto", making()).inputs, whole);
}

TEST_F(Features, AreForColouredImagesWhereWeightsAre) {
  make_photos("grey", 1);
  EXPECT_TRUE(read("auto", making(), "grey").image) << "grey images keep their pixels";
  EXPECT_FALSE(read("squeezenet", making(), "grey").image) << "unless somebody asks";
  EXPECT_TRUE(read("none", making()).image);
  EXPECT_EQ(read("weights/squeezenet1_1_imagenet.npz", making()).shape.front(), 512);
  fs::remove_all(weights());
  EXPECT_TRUE(read("auto", making()).image);
  EXPECT_THAT(said(), HasSubstr("moblo data get squeezenet"));
  EXPECT_THAT(refusal_when([&] { read("squeezenet", making()); }), HasSubstr("moblo data get squeezenet"));
}

TEST_F(Features, NameTheImagesThatCannotBeRead) {
  readers::testing::write_text(made.path() / "photos" / "cat" / "03.png", "text");
  fs::resize_file(made.path() / "photos" / "dog" / "04.png", 40);
  const auto refusal = refusal_when([&] { read("auto", making()); });
  EXPECT_THAT(refusal, HasSubstr("03.png"));
  EXPECT_THAT(refusal, HasSubstr("04.png"));
}

TEST_F(Features, AreFoundAgainByWhatAModelSaysOfThem) {
  const auto data = read("auto", making());
  const auto description = Json::parse(data.features);
  NetworkFeatures again(description, making());
  EXPECT_EQ(again.description(), data.features);
  data::NoisySource source;
  const auto list = readers::list_images(made.path() / "photos", source, notes);
  EXPECT_EQ(readers::read_feature_samples(list, readers::look_at_pictures(list, 0), again, notes).inputs, data.inputs);
  fs::resize_file(weights(), fs::file_size(weights()) - 1);
  EXPECT_THROW(NetworkFeatures(description, making()), Error);
}

TEST_F(Features, OfWeightsOfNoSuchNetworkAreRefused) {
  readers::write_named_tensors(made.path() / "other.npz", {{"x", "F32", {1}, std::vector<std::byte>(4)}});
  EXPECT_THAT(refusal_when([&] { read("other.npz", making()); }), HasSubstr("SqueezeNet 1.1, ResNet-18 or ResNet-50"));
}

TEST(Pictures, LookAlikeWhereTheyAreCopies) {
  const TemporaryFolder made;
  const auto pixels = made_pixels(24, 3, 1);
  auto brighter = pixels;
  for (auto& pixel : brighter) pixel = static_cast<std::uint8_t>(pixel * 11 / 10);
  std::vector<fs::path> files;
  const auto add = [&](const std::vector<std::uint8_t>& content) {
    files.push_back(made.path() / fmt::format("{}.png", files.size()));
    write_picture(files.back(), 24, 3, content);
  };
  add(pixels), add(brighter), add(made_pixels(24, 3, 2)), add(std::vector<std::uint8_t>(24 * 24 * 3, 9));
  files.push_back(made.path() / "absent.png");
  const auto alike = lookalikes_in(files, 2)({{0, 1}, {0, 2}, {0, 3}, {3, 3}, {0, 4}});
  EXPECT_EQ(alike, (std::vector<bool>{true, false, false, false, false}));
}

TEST(Pictures, ThumbnailsAreSmallAndKeepTheirShape) {
  const TemporaryFolder made;
  const auto png = report::png(50, 200, 1, std::vector<std::uint8_t>(10000, 128));
  readers::testing::write_raw(made.path() / "a.png", {png.begin(), png.end()});
  CleanTask task;
  task.pictures = {made.path() / "a.png", made.path() / "absent.png"};
  const auto shown = thumbnails(task, {0, 1});
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].height, 24);
  EXPECT_EQ(shown[0].width, 96);
  EXPECT_EQ(shown[1].height, 0);
  EXPECT_TRUE(thumbnails(CleanTask(), {}).empty());
}

}  // namespace
}  // namespace moblo::lab::clean::features_test
