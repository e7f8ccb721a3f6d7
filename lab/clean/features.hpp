#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "lab/nets/feature_network.hpp"
#include "lab/readers/picture_features.hpp"
#include "moblo/base/json.hpp"

namespace moblo::lab::clean {

/// How features are made, and who wants to know.
struct FeatureMaking {
  int threads = 0;                          ///< 0 = all cores; the features do not depend on it
  std::filesystem::path store{};            ///< empty: the user's cache
  const std::atomic<bool>* stop = nullptr;  ///< throws Interrupted; what is done stays in the store
  std::function<void(std::int64_t done, std::int64_t all)> listener{};
};

/// Pooled features of a frozen network that was trained on ImageNet: each image stretched to 224 x 224 by an
/// antialiased bilinear filter, normalised, one at a time, so that its features depend on nothing else.
class NetworkFeatures : public readers::PictureFeatures {
 public:
  /// `choice` is auto, squeezenet, or a file of weights, relative to `where`. With auto only coloured images are
  /// wanted, and only where weights of SqueezeNet are found. Error(data) where weights are asked for and not there.
  NetworkFeatures(std::string choice, const std::filesystem::path& where, FeatureMaking making);
  /// What `description()` said once, for new images: Error(data) where the weights are gone, or others.
  NetworkFeatures(const Json& description, FeatureMaking making);

  bool wanted(const std::string& list, bool colour, readers::ReadingNotes& notes) override;
  std::vector<float> make(const readers::ImageList& list, const std::vector<readers::SeenPicture>& seen,
                          readers::ReadingNotes& notes) override;
  std::int64_t width() const override { return network_.width; }
  std::string description() const override;

 private:
  void load(const std::filesystem::path& weights);
  std::vector<float> of(const std::filesystem::path& file) const;

  std::string choice_;
  std::filesystem::path weights_;  // empty: none
  std::string sha256_;
  nets::FeatureNetwork network_;
  FeatureMaking making_;
};

/// SqueezeNet's weights as `moblo data get squeezenet` puts them, or in a folder `weights` in the data's home or beside
/// it.
std::optional<std::filesystem::path> find_squeezenet();

}  // namespace moblo::lab::clean
