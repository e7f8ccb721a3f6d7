#include "lab/nets/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "moblo/base/error.hpp"

namespace moblo::lab::nets {
namespace {

using Named = std::map<std::string, torch::Tensor>;

/// Values that a file holds, by name. The tensors are the module's own.
Named values_of(const torch::nn::Module& module) {
  Named all;
  for (const auto& item : module.named_parameters()) all[item.key()] = item.value();
  for (const auto& item : module.named_buffers()) all[item.key()] = item.value();
  return all;
}

std::string shape_text(at::IntArrayRef shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

bool is_ignored(const std::string& name, const std::vector<std::string>& ignored) {
  return std::any_of(ignored.begin(), ignored.end(), [&](const auto& prefix) { return name.starts_with(prefix); });
}

bool may_be_missing(const std::string& name) {
  return name.ends_with("num_batches_tracked");
}

constexpr std::size_t most_named = 10;

/// "missing: a, b and 3 more"; nothing where there is none.
void add_findings(std::vector<std::string>& rules, const std::string& what, std::vector<std::string> names) {
  if (names.empty()) return;
  const auto count = names.size();
  names.resize(std::min(count, most_named));
  const auto rest = count > most_named ? fmt::format(" and {} more", count - most_named) : "";
  rules.push_back(fmt::format("{}: {}{}", what, fmt::join(names, ", "), rest));
}

void refuse_mismatch(const Named& own, const std::map<std::string, const records::StoredTensor*>& given,
                     const std::string& source) {
  std::vector<std::string> rules, missing, unexpected, misshapen;
  for (const auto& [name, tensor] : own) {
    const auto found = given.find(name);
    if (found == given.end()) {
      if (!may_be_missing(name)) missing.push_back(name);
    } else if (tensor.sizes() != at::IntArrayRef(found->second->shape)) {
      misshapen.push_back(
          fmt::format("{} is {}, not {}", name, shape_text(found->second->shape), shape_text(tensor.sizes())));
    }
  }
  for (const auto& [name, tensor] : given) {
    if (!own.contains(name)) unexpected.push_back(name);
  }
  add_findings(rules, "missing", missing);
  add_findings(rules, "unexpected", unexpected);
  add_findings(rules, "of another shape", misshapen);
  if (rules.empty()) return;
  throw Error(ErrorKind::data, source, fmt::format("does not hold this network's weights; {}", fmt::join(rules, "; ")),
              "Give the weights of this network, with torchvision's names, or change the network's sizes");
}

}  // namespace

std::vector<records::StoredTensor> weights_of(const torch::nn::Module& module) {
  std::vector<records::StoredTensor> all;
  for (const auto& [name, tensor] : values_of(module)) all.push_back(problem::to_stored(name, tensor));
  return all;
}

void load_weights(torch::nn::Module& module, const std::vector<records::StoredTensor>& weights,
                  const std::string& source, const std::vector<std::string>& ignored) {
  auto own = values_of(module);
  std::map<std::string, const records::StoredTensor*> given;
  for (const auto& stored : weights) {
    if (!is_ignored(stored.name, ignored)) given[stored.name] = &stored;
  }
  std::erase_if(own, [&](const auto& item) { return is_ignored(item.first, ignored); });
  refuse_mismatch(own, given, source);
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : own) {
    if (const auto found = given.find(name); found != given.end()) tensor.copy_(problem::from_stored(*found->second));
  }
}

void load_backbone(TaskNetwork& network, const std::vector<records::StoredTensor>& weights, const std::string& source) {
  auto children = network.trunk().named_children();
  auto* backbone = children.find("backbone");
  if (!backbone) {
    throw Error(ErrorKind::config, source, "the network has no backbone that it would fit", "Leave the weights out");
  }
  load_weights(**backbone, weights, source, {"fc."});
}

}  // namespace moblo::lab::nets
