#include "lab/nets/feature_network.hpp"

#include <algorithm>

#include "lab/nets/resnet.hpp"
#include "lab/nets/squeezenet.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::nets {
namespace {

FeatureNetwork squeezenet(const std::vector<records::StoredTensor>& weights, const std::string& source) {
  SqueezeNet network;
  load_weights(*network, weights, source);
  network->eval();
  return {"squeezenet1_1", 512, [network](const torch::Tensor& images) mutable { return network->pooled(images); }};
}

FeatureNetwork resnet(std::int64_t depth, const std::vector<records::StoredTensor>& weights,
                      const std::string& source) {
  ResNet network(ResNetOptions{.depth = depth});
  load_weights(*network, weights, source, {"fc."});
  network->eval();
  return {depth == 18 ? "resnet18" : "resnet50", network->channels(), [network](const torch::Tensor& images) mutable {
            return network->forward(images).mean({2, 3});
          }};
}

}  // namespace

FeatureNetwork make_feature_network(const std::vector<records::StoredTensor>& weights, const std::string& source) {
  const auto has = [&](const char* name) {
    return std::any_of(weights.begin(), weights.end(), [&](const auto& tensor) { return tensor.name == name; });
  };
  if (has("features.0.weight")) return squeezenet(weights, source);
  if (has("layer1.0.conv3.weight")) return resnet(50, weights, source);
  if (has("layer1.0.conv1.weight")) return resnet(18, weights, source);
  throw Error(ErrorKind::data, source, "holds the weights of no network that makes features of images",
              "Give those of SqueezeNet 1.1, ResNet-18 or ResNet-50, with torchvision's names");
}

}  // namespace moblo::lab::nets
