#include "moblo/problem/stored_tensors.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>

#include "moblo/base/error.hpp"

namespace moblo::problem {
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

}  // namespace

records::StoredTensor to_stored(const std::string& name, const torch::Tensor& tensor) {
  const auto dense = tensor.detach().contiguous();
  records::StoredTensor out{name, dtype_name(dense.scalar_type()), dense.sizes().vec(), {}};
  out.bytes.resize(dense.nbytes());
  if (dense.nbytes() > 0) std::memcpy(out.bytes.data(), dense.data_ptr(), dense.nbytes());
  return out;
}

torch::Tensor from_stored(const records::StoredTensor& stored) {
  auto tensor = torch::empty(stored.shape, torch::dtype(dtype_of(stored.dtype)));
  if (!stored.bytes.empty()) std::memcpy(tensor.data_ptr(), stored.bytes.data(), stored.bytes.size());
  return tensor;
}

}  // namespace moblo::problem
