#include "lab/nets/office.hpp"

#include "lab/nets/initial_weights.hpp"
#include "lab/nets/resnet.hpp"

namespace moblo::lab::nets {
namespace {

class HiddenLayerImpl : public torch::nn::Module {
 public:
  HiddenLayerImpl(const FeatureHeadOptions& options, Rng& rng)
      : hidden_(register_module("hidden", torch::nn::Linear(options.inputs, options.hidden))),
        norm_(register_module("norm", torch::nn::BatchNorm1d(options.hidden))),
        dropout_(register_module("dropout", torch::nn::Dropout(options.dropout))) {
    draw_normal(hidden_->weight, 0.005, rng);
    torch::nn::init::constant_(hidden_->bias, 0.1);
  }

  torch::Tensor forward(const torch::Tensor& features) {
    return dropout_->forward(torch::relu(norm_->forward(hidden_->forward(features))));
  }

 private:
  torch::nn::Linear hidden_;
  torch::nn::BatchNorm1d norm_;
  torch::nn::Dropout dropout_;
};
TORCH_MODULE(HiddenLayer);

class ImageTrunkImpl : public torch::nn::Module {
 public:
  ImageTrunkImpl(FeatureHeadOptions options, Rng& rng)
      : backbone_(register_module("backbone", ResNet(ResNetOptions{.depth = 18}))) {
    backbone_->draw_weights(rng);
    options.inputs = backbone_->channels();
    top_ = register_module("top", HiddenLayer(options, rng));
  }

  torch::Tensor forward(const torch::Tensor& images) { return top_->forward(backbone_->forward(images).mean({2, 3})); }

 private:
  ResNet backbone_;
  HiddenLayer top_{nullptr};
};
TORCH_MODULE(ImageTrunk);

}  // namespace

std::unique_ptr<TaskNetwork> make_feature_head(const FeatureHeadOptions& options, Rng& rng) {
  torch::nn::AnyModule trunk(HiddenLayer(options, rng));
  return assemble(trunk, linear_heads(options.hidden, options.classes, rng));
}

std::unique_ptr<TaskNetwork> make_resnet18_office(const FeatureHeadOptions& options, Rng& rng) {
  torch::nn::AnyModule trunk(ImageTrunk(options, rng));
  return assemble(trunk, linear_heads(options.hidden, options.classes, rng));
}

}  // namespace moblo::lab::nets
