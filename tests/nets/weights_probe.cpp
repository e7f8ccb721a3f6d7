// Weights in, outputs and weights out: what tools/check_weights holds against torchvision.
//
//   weights_probe NETWORK WEIGHTS IMAGES.npz OUTPUTS.npz WEIGHTS_AGAIN

#include <fmt/format.h>

#include "moblo/base/error.hpp"
#include "moblo/data/named_tensors.hpp"
#include "moblo/nets/deeplab.hpp"
#include "moblo/nets/resnet.hpp"
#include "moblo/nets/squeezenet.hpp"
#include "moblo/nets/weights.hpp"

namespace {

using namespace moblo;

const std::string head_prefix = "classifier.";

struct Probed {
  std::vector<StoredTensor> outputs, weights;
};

struct Given {
  std::vector<StoredTensor> weights;
  std::string file;
  torch::Tensor images;
};

Probed probe_squeezenet(const Given& given) {
  SqueezeNet network;
  load_weights(*network, given.weights, given.file);
  network->eval();
  return {{to_stored("output", network->forward(given.images)), to_stored("pooled", network->pooled(given.images))},
          weights_of(*network)};
}

Probed probe_resnet(const ResNetOptions& options, const Given& given) {
  ResNet network(options);
  load_weights(*network, given.weights, given.file, {"fc."});
  network->eval();
  return {{to_stored("output", network->forward(given.images))}, weights_of(*network)};
}

Probed probe_deeplab(const Given& given) {
  Rng rng(1);
  const auto network = make_deeplab({.outputs = {13}}, rng);
  load_weights(network->trunk(), given.weights, given.file, {head_prefix});
  std::vector<StoredTensor> of_head;
  for (auto tensor : given.weights) {
    if (!tensor.name.starts_with(head_prefix)) continue;
    tensor.name.erase(0, head_prefix.size());
    of_head.push_back(tensor);
  }
  load_weights(network->task_head(0), of_head, given.file);
  network->train(false);
  Probed probed{{to_stored("output", network->head(network->features(given.images), 0))}, weights_of(network->trunk())};
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
  throw Error(ErrorKind::usage, network, "is no network that can be probed", "Take one that tools/check_weights names");
}

}  // namespace

int main(int count, char** words) {
  try {
    if (count != 6) throw Error(ErrorKind::usage, "the command line", "five words are needed", "See the source");
    const Given given{read_named_tensors(words[2]), words[2], from_stored(read_named_tensors(words[3]).at(0))};
    const auto probed = probe(words[1], given);
    write_named_tensors(words[4], probed.outputs);
    write_named_tensors(words[5], probed.weights);
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return error.exit_code();
  }
}
