#include "moblo/nets/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "moblo/base/error.hpp"

namespace moblo {
namespace {

constexpr std::array dtypes{std::pair{"F16", torch::kFloat16}, std::pair{"F32", torch::kFloat32},
                            std::pair{"F64", torch::kFloat64}, std::pair{"I64", torch::kInt64},
                            std::pair{"I32", torch::kInt32},   std::pair{"U8", torch::kUInt8},
                            std::pair{"BOOL", torch::kBool}};

const char* dtype_name(torch::ScalarType type) {
  for (const auto& [name, candidate] : dtypes) {
    if (candidate == type) return name;
  }
  throw Error(ErrorKind::problem, fmt::format("a tensor of type {}", c10::toString(type)), "cannot be stored",
              "Use 16, 32 or 64 bit floats, integers, bytes or booleans");
}

torch::ScalarType dtype_of(const std::string& name) {
  for (const auto& [text, type] : dtypes) {
    if (name == text) return type;
  }
  throw Error(ErrorKind::checkpoint, fmt::format("a tensor of type {}", name), "cannot be read", "");
}

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

void refuse_mismatch(const Named& own, const std::map<std::string, const StoredTensor*>& given,
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

StoredTensor to_stored(const std::string& name, const torch::Tensor& tensor) {
  const auto dense = tensor.detach().contiguous();
  StoredTensor out{name, dtype_name(dense.scalar_type()), dense.sizes().vec(), {}};
  out.bytes.resize(dense.nbytes());
  if (dense.nbytes() > 0) std::memcpy(out.bytes.data(), dense.data_ptr(), dense.nbytes());
  return out;
}

torch::Tensor from_stored(const StoredTensor& stored) {
  auto tensor = torch::empty(stored.shape, torch::dtype(dtype_of(stored.dtype)));
  if (!stored.bytes.empty()) std::memcpy(tensor.data_ptr(), stored.bytes.data(), stored.bytes.size());
  return tensor;
}

std::vector<StoredTensor> weights_of(const torch::nn::Module& module) {
  std::vector<StoredTensor> all;
  for (const auto& [name, tensor] : values_of(module)) all.push_back(to_stored(name, tensor));
  return all;
}

void load_weights(torch::nn::Module& module, const std::vector<StoredTensor>& weights, const std::string& source,
                  const std::vector<std::string>& ignored) {
  auto own = values_of(module);
  std::map<std::string, const StoredTensor*> given;
  for (const auto& stored : weights) {
    if (!is_ignored(stored.name, ignored)) given[stored.name] = &stored;
  }
  std::erase_if(own, [&](const auto& item) { return is_ignored(item.first, ignored); });
  refuse_mismatch(own, given, source);
  const torch::NoGradGuard no_grad;
  for (auto& [name, tensor] : own) {
    if (const auto found = given.find(name); found != given.end()) tensor.copy_(from_stored(*found->second));
  }
}

void load_backbone(TaskNetwork& network, const std::vector<StoredTensor>& weights, const std::string& source) {
  auto* backbone = network.trunk().named_children().find("backbone");
  if (!backbone) {
    throw Error(ErrorKind::config, source, "the network has no backbone that it would fit", "Leave the weights out");
  }
  load_weights(**backbone, weights, source, {"fc."});
}

}  // namespace moblo
