#include "lab/clean/features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "lab/clean/feature_store.hpp"
#include "lab/clean/jobs.hpp"
#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/parallel.hpp"
#include "lab/readers/array_cache.hpp"
#include "lab/readers/listed_pictures.hpp"
#include "lab/readers/named_tensors.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::clean {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t network_side = 224;
constexpr std::size_t made_at_a_time = 64;  // the most that an interruption loses

/// Takes from the store what is there, has the rest made, a few shelves at a time.
class Filling {
 public:
  using Make = std::function<std::vector<float>(const fs::path& file)>;

  Filling(const FeatureStore& store, const FeatureMaking& making, std::size_t all, Make make,
          readers::ReadingNotes& notes)
      : store_(store), making_(making), all_(all), make_(std::move(make)), notes_(notes) {}

  void open(const std::string& shelf) { shelves_[shelf] = store_.read(shelf, notes_); }
  void want(std::size_t image, const std::string& digest, const fs::path& file) {
    waiting_.emplace_back(image, digest);
    if (!shelves_.at(FeatureStore::shelf(digest)).contains(digest)) missing_.emplace(digest, file);
  }
  bool enough() const { return missing_.size() >= made_at_a_time; }

  /// Hands over the row of every image that was wanted, and closes the shelves.
  void finish(const std::function<void(std::size_t image, const std::vector<float>& row)>& take) {
    make_missing();
    for (const auto& [image, digest] : waiting_) take(image, shelves_.at(FeatureStore::shelf(digest)).at(digest));
    done_ += waiting_.size();
    shelves_.clear(), missing_.clear(), waiting_.clear();
  }
  std::size_t made() const { return made_; }

 private:
  void make_missing() {
    const std::vector<std::pair<std::string, fs::path>> work(missing_.begin(), missing_.end());
    std::vector<std::vector<float>> rows(work.size());
    std::size_t now = done_;
    const auto threads = static_cast<unsigned>(std::max(0, making_.threads));
    data::for_each_number(static_cast<std::int64_t>(work.size()), threads, [&](std::int64_t number) {
      const auto w = static_cast<std::size_t>(number);
      if (making_.stop && *making_.stop) throw Interrupted{};
      rows[w] = make_(work[w].second);
      const std::scoped_lock lock(telling_);
      if (making_.listener) making_.listener(static_cast<std::int64_t>(++now), static_cast<std::int64_t>(all_));
    });
    std::set<std::string> changed;
    for (std::size_t w = 0; w < work.size(); ++w) {
      const auto shelf = FeatureStore::shelf(work[w].first);
      shelves_.at(shelf)[work[w].first] = std::move(rows[w]);
      changed.insert(shelf);
    }
    for (const auto& shelf : changed) store_.write(shelf, shelves_.at(shelf), notes_);
    made_ += work.size();
  }

  const FeatureStore& store_;
  const FeatureMaking& making_;
  std::size_t all_, done_ = 0, made_ = 0;
  Make make_;
  readers::ReadingNotes& notes_;
  std::mutex telling_;
  std::map<std::string, FeatureStore::Rows> shelves_;
  std::map<std::string, fs::path> missing_;  // by digest
  std::vector<std::pair<std::size_t, std::string>> waiting_;
};

}  // namespace

std::optional<fs::path> find_squeezenet() {
  const auto home = data::data_home();
  std::error_code ignored;
  for (const auto& folder : {home / "squeezenet", home / "weights", home.parent_path() / "weights"}) {
    for (const auto* ending : {".npz", ".safetensors"}) {
      auto file = folder / (std::string("squeezenet1_1_imagenet") + ending);
      if (fs::is_regular_file(file, ignored)) return file;
    }
  }
  return {};
}

NetworkFeatures::NetworkFeatures(std::string choice, const fs::path& where, FeatureMaking making)
    : choice_(std::move(choice)), making_(std::move(making)) {
  if (choice_ == "none") return;
  if (choice_ != "auto" && choice_ != "squeezenet") {
    load(where / choice_);
  } else if (const auto found = find_squeezenet()) {
    weights_ = *found;  // loaded once images want it
  } else if (choice_ == "squeezenet") {
    throw Error(ErrorKind::data, "--features squeezenet",
                fmt::format("its weights are not in {}", (data::data_home() / "squeezenet").string()),
                "`moblo data get squeezenet` says how to get them; --features none takes pixels");
  }
}

NetworkFeatures::NetworkFeatures(const Json& description, FeatureMaking making)
    : choice_("squeezenet"), making_(std::move(making)) {
  const auto wanted = description.at("weights_sha256").get<std::string>();
  const fs::path noted = description.at("weights").get<std::string>();
  std::error_code ignored;
  for (const auto& file : {noted, find_squeezenet().value_or(fs::path())}) {
    if (!weights_.empty() || !fs::is_regular_file(file, ignored) || data::sha256_of_file(file) != wanted) continue;
    load(file);
  }
  if (!weights_.empty()) return;
  throw Error(
      ErrorKind::data, noted.string(),
      fmt::format("the weights that made this model's inputs are not there (SHA-256 {}...)", wanted.substr(0, 16)),
      "Put them back, or get them by `moblo data get squeezenet`");
}

void NetworkFeatures::load(const fs::path& weights) {
  weights_ = weights;
  sha256_ = data::sha256_of_file(weights);
  network_ = nets::make_feature_network(readers::read_named_tensors(weights), weights.string());
}

bool NetworkFeatures::wanted(const std::string& list, bool colour, readers::ReadingNotes& notes) {
  if (choice_ == "none" || (choice_ == "auto" && !colour)) return false;
  if (weights_.empty()) {
    notes.push_back(fmt::format(
        "{}: coloured images go in as pixels, for no pretrained network is here; features of one are much better "
        "(`moblo data get squeezenet`)",
        list));
    return false;
  }
  if (!network_.features) load(weights_);
  return true;
}

std::string NetworkFeatures::description() const {
  return Json{{"network", network_.name},
              {"weights", fs::absolute(weights_).lexically_normal().string()},
              {"weights_sha256", sha256_},
              {"side", network_side},
              {"resize", "antialiased bilinear, as torchvision; ImageNet's mean and deviation"}}
      .dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::vector<float> NetworkFeatures::of(const fs::path& file) const {
  std::string why;
  const auto picture = readers::network_picture(file, network_side, why);
  if (!picture) throw Error(ErrorKind::data, file.string(), why, "Fix this image or take it out");
  const torch::NoGradGuard no_grad;
  at::set_num_threads(1);  // a setting of each thread of its own
  auto planes = torch::empty({1, 3, network_side, network_side});
  readers::normalise_pixels(picture->pixels, {planes.data_ptr<float>(), picture->pixels.size()});
  const auto features = network_.features(planes).contiguous();
  return {features.data_ptr<float>(), features.data_ptr<float>() + features.numel()};
}

std::vector<float> NetworkFeatures::make(const readers::ImageList& list, const std::vector<readers::SeenPicture>& seen,
                                         readers::ReadingNotes& notes) {
  const auto folder = making_.store.empty() ? readers::ArrayCache::default_folder() : making_.store;
  const FeatureStore store(folder / fmt::format("features-{}-{}", network_.name, sha256_.substr(0, 16)), width());
  std::map<std::string, std::vector<std::size_t>> shelves;
  for (std::size_t i = 0; i < seen.size(); ++i) shelves[FeatureStore::shelf(seen[i].sha256)].push_back(i);

  std::vector<float> out(seen.size() * static_cast<std::size_t>(width()));
  const auto take = [&](std::size_t image, const std::vector<float>& row) {
    std::copy(row.begin(), row.end(), out.begin() + static_cast<std::ptrdiff_t>(image) * width());
  };
  Filling filling(
      store, making_, seen.size(), [this](const fs::path& file) { return of(file); }, notes);
  for (const auto& [shelf, images] : shelves) {
    filling.open(shelf);
    for (const auto i : images) filling.want(i, seen[i].sha256, list.images[i].file);
    if (filling.enough()) filling.finish(take);
  }
  filling.finish(take);
  notes.push_back(fmt::format(
      "{}: {} images go in as {} features of {} ({}); --features none takes pixels", list.file, seen.size(), width(),
      network_.name,
      filling.made() == 0 ? std::string("all were made before") : fmt::format("{} made now", filling.made())));
  return out;
}

}  // namespace moblo::lab::clean
