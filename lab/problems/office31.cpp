#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "lab/data/dataset_store.hpp"
#include "lab/data/digest.hpp"
#include "lab/data/file_bytes.hpp"
#include "lab/nets/office.hpp"
#include "lab/nets/squeezenet.hpp"
#include "lab/nets/weights.hpp"
#include "lab/problems/task_problems.hpp"
#include "lab/problems/task_scores.hpp"
#include "lab/problems/to_tensors.hpp"
#include "lab/readers/array_cache.hpp"
#include "lab/readers/named_tensors.hpp"
#include "moblo/base/error.hpp"
#include "moblo/base/rng.hpp"

namespace moblo::lab::problems {
namespace {

constexpr std::int64_t feature_batch = 32;
constexpr std::uint64_t largest_weights = std::uint64_t{1} << 32;
constexpr int office_classes = 31;

torch::Tensor pixels_of(const readers::LabelledPictures& pictures) {
  return to_tensor(pictures.pixels, {pictures.count, pictures.side, pictures.side, 3});
}

/// [rows, side, side, 3] bytes to the planes that ImageNet's networks take.
torch::Tensor prepared(const torch::Tensor& bytes) {
  const auto pixels = bytes.contiguous();
  auto planes = torch::empty({pixels.size(0), 3, pixels.size(1), pixels.size(2)});
  const auto values = static_cast<std::size_t>(3 * pixels.size(1) * pixels.size(2));
  for (std::int64_t i = 0; i < pixels.size(0); ++i) {
    readers::normalise_pixels({pixels[i].data_ptr<std::uint8_t>(), values}, {planes[i].data_ptr<float>(), values});
  }
  return planes;
}

/// Pooled features of a frozen SqueezeNet, made once and kept.
class FeatureMaker {
 public:
  explicit FeatureMaker(const std::string& weights_file)
      : file_(weights_file), sha256_(data::sha256(data::read_file_bytes(file_, largest_weights))) {}

  torch::Tensor features(const std::string& name, const readers::LabelledPictures& pictures,
                         std::vector<std::string>& notes) {
    const readers::ArrayCache cache(readers::ArrayCache::default_folder());
    const auto found = cache.get(
        "office31_" + name, {{"pictures", pictures.sha256}, {"weights", sha256_}},
        {{"features", "F32", {pictures.count, 512}}},
        [&] { return std::vector<records::StoredTensor>{problem::to_stored("features", make(pictures))}; }, notes);
    return problem::from_stored(found[0]);
  }

 private:
  torch::Tensor make(const readers::LabelledPictures& pictures) {
    const torch::NoGradGuard no_grad;
    if (!network_) {
      network_ = nets::SqueezeNet();
      nets::load_weights(*network_, readers::read_named_tensors(file_), file_);
      network_->eval();
    }
    std::vector<torch::Tensor> parts;
    const auto pixels = pixels_of(pictures);
    for (std::int64_t first = 0; first < pictures.count; first += feature_batch) {
      const auto batch = pixels.narrow(0, first, std::min(feature_batch, pictures.count - first));
      parts.push_back(network_->pooled(prepared(batch)));
    }
    return torch::cat(parts);
  }

  std::string file_, sha256_;
  nets::SqueezeNet network_{nullptr};
};

/// `given`, or NAME.safetensors or NAME.npz in a folder `weights` beside the dataset's, or one level above.
std::string locate_weights(const std::string& given, const std::string& name, const std::filesystem::path& dataset) {
  if (!given.empty()) return given;
  const auto beside = dataset.parent_path();
  for (const auto& folder : {beside / "weights", beside.parent_path() / "weights"}) {
    for (const auto* ending : {".safetensors", ".npz"}) {
      if (std::filesystem::is_regular_file(folder / (name + ending))) return (folder / (name + ending)).string();
    }
  }
  throw Error(ErrorKind::data, name,
              fmt::format("no such weights in {} or one level above", (beside / "weights").string()),
              "Export torchvision's state_dict to safetensors or npz, and name it with --set office31.weights=FILE");
}

using MakeInputs = std::function<torch::Tensor(const std::string& name, const readers::LabelledPictures& pictures)>;

MultitaskData read_domains(const std::filesystem::path& folder, const MakeInputs& inputs,
                           std::vector<std::string>& notes) {
  MultitaskData data;
  for (const auto& domain : readers::office31_domains()) {
    const auto part = [&](const std::string& name) {
      const auto pictures = readers::read_office31(folder, domain, name, {.classes = office_classes}, notes);
      data.provenance[domain + " " + name] = describe(pictures);
      return TensorDataset{inputs(domain + "_" + name, pictures), torch::tensor(pictures.labels, torch::kInt64)};
    };
    data.train.push_back(part("train"));
    data.validation.push_back(part("val"));
    data.test.push_back(part("test"));
  }
  data.select = data.validation;
  return data;
}

}  // namespace

std::unique_ptr<BilevelProblem> make_office31(const Json& resolved, std::uint64_t seed) {
  const auto options = read_options<Office31Options>(resolved);
  const auto folder = data::require_dataset(data::find_dataset("office31"), options.data);
  const bool frozen = options.backbone == OfficeBackbone::frozen_squeezenet;
  std::vector<std::string> notes;
  MultitaskData data;
  if (frozen) {
    FeatureMaker maker(locate_weights(options.weights, "squeezenet1_1_imagenet", folder));
    data = read_domains(
        folder,
        [&](const std::string& name, const readers::LabelledPictures& p) { return maker.features(name, p, notes); },
        notes);
  } else {
    data = read_domains(
        folder, [](const std::string&, const readers::LabelledPictures& pictures) { return pixels_of(pictures); },
        notes);
    data.prepare = prepared;
  }
  std::vector<Task> tasks;
  for (const auto& domain : readers::office31_domains()) tasks.push_back(classification_task(domain));
  const auto network = [&](const std::vector<std::size_t>& chosen, std::uint64_t own_seed) {
    Rng rng(own_seed);
    const nets::FeatureHeadOptions net{.classes = std::vector<std::int64_t>(chosen.size(), office_classes),
                                       .hidden = options.hidden,
                                       .dropout = options.dropout};
    if (frozen) return nets::make_feature_head(net, rng);
    auto made = nets::make_resnet18_office(net, rng);
    if (!options.weights.empty())
      nets::load_backbone(*made, readers::read_named_tensors(options.weights), options.weights);
    return made;
  };
  return std::make_unique<Multitask>(std::move(tasks), std::move(data), network, options, seed);
}

}  // namespace moblo::lab::problems
