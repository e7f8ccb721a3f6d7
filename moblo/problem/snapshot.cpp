#include "moblo/problem/snapshot.hpp"

#include <fmt/format.h>

#include "moblo/base/error.hpp"

namespace moblo::problem {

torch::Tensor tensor_like(const Snapshot& from, const std::string& name, const torch::Tensor& like) {
  const char* next = "Resume with the options that the run was started with";
  const auto found = from.tensors.find(name);
  if (found == from.tensors.end()) {
    throw Error(ErrorKind::checkpoint, fmt::format("a checkpoint without '{}'", name),
                "does not belong to this problem", next);
  }
  if (found->second.sizes() != like.sizes() || found->second.scalar_type() != like.scalar_type()) {
    throw Error(ErrorKind::checkpoint, fmt::format("'{}' in the checkpoint", name),
                "has another shape or type than in this problem", next);
  }
  return found->second;
}

}  // namespace moblo::problem
