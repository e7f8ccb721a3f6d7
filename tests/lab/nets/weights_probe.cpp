// Weights in, outputs and weights out: what tools/check_weights holds against torchvision.
//
//   weights_probe NETWORK WEIGHTS IMAGES.npz OUTPUTS.npz WEIGHTS_AGAIN

#include <fmt/format.h>

#include "lab/nets/deeplab.hpp"
#include "lab/nets/resnet.hpp"
#include "lab/nets/squeezenet.hpp"
#include "lab/nets/weights.hpp"
#include "lab/readers/named_tensors.hpp"
#include "moblo/base/error.hpp"

namespace {

using namespace moblo;
using namespace moblo::lab;
using namespace moblo::lab::nets;

const std::string head_prefix = "classifier.";

struct Probed {
  std::vector<records::StoredTensor> outputs, weights;
};

struct Given {
  std::vector<records::StoredTensor> weights;
  std::string file;
  torch::Tensor images;
};

Probed probe_squeezenet(const Given& given) {
  lab::nets::SqueezeNet network;
  lab::nets::load_weights(*network, given.weights, given.file);
  network->eval();
  return {{problem::to_stored("output", network->forward(given.images)),
           problem::to_stored("pooled", network->pooled(given.images))},
          lab::nets::weights_of(*network)};
}

Probed probe_resnet(const ResNetOptions& options, const Given& given) {
  lab::nets::ResNet network(options);
  lab::nets::load_weights(*network, given.weights, given.file, {"fc."});
  network->eval();
  return {{problem::to_stored("output", network->forward(given.images))}, lab::nets::weights_of(*network)};
}

Probed probe_deeplab(const Given& given) {
  Rng rng(1);
  const auto network = lab::nets::make_deeplab({.outputs = {13}}, rng);
  lab::nets::load_weights(network->trunk(), given.weights, given.file, {head_prefix});
  std::vector<records::StoredTensor> of_head;
  for (auto tensor : given.weights) {
    if (!tensor.name.starts_with(head_prefix)) continue;
    tensor.name.erase(0, head_prefix.size());
    of_head.push_back(tensor);
  }
  load_weights(network->task_head(0), of_head, given.file);
  network->train(false);
  Probed probed{{problem::to_stored("output", network->head(network->features(given.images), 0))},
                lab::nets::weights_of(network->trunk())};
  for (auto tensor : weights_of(network->task_head(0))) {
    tensor.name.insert(0, head_prefix);
    probed.weights.push_back(tensor);
  }
  return probed;
}

Probed probe(const std::string& network, const Given& given) {
  const torch::NoGradGuard no_grad;
  if (network == "squeezenet1_1") return probe_squeezenet(given);
  if (network == "resnet18") return probe_resnet({.depth = 18}, given);
  if (network == "resnet50_dilated") return probe_resnet({.depth = 50, .dilated = true}, given);
  if (network == "deeplabv3_resnet50") return probe_deeplab(given);
  throw Error(ErrorKind::usage, network, "cannot be probed", "Take one that tools/check_weights names");
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 6) throw Error(ErrorKind::usage, "the command line", "five words are needed", "See the source");
    const Given given{readers::read_named_tensors(words[2]), words[2],
                      problem::from_stored(readers::read_named_tensors(words[3]).at(0))};
    const auto probed = probe(words[1], given);
    readers::write_named_tensors(words[4], probed.outputs);
    readers::write_named_tensors(words[5], probed.weights);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
