#include "moblo/records/tensor_layout.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <string_view>

namespace moblo::records::tensor_layout {
namespace {

struct DtypeRow {
  std::string_view name;
  std::uint64_t bytes;
};
constexpr std::array dtypes{DtypeRow{"F16", 2}, DtypeRow{"F32", 4}, DtypeRow{"F64", 8}, DtypeRow{"I64", 8},
                            DtypeRow{"I32", 4}, DtypeRow{"U8", 1},  DtypeRow{"BOOL", 1}};

}  // namespace

std::uint64_t element_bytes(const StoredTensor& tensor) {
  for (const auto& row : dtypes) {
    if (row.name == tensor.dtype) return row.bytes;
  }
  throw Fault{fmt::format("tensor '{}' has the dtype '{}', which is none of F16, F32, F64, I64, I32, U8, BOOL",
                          tensor.name, tensor.dtype)};
}

std::uint64_t expected_bytes(const StoredTensor& tensor) {
  std::uint64_t bytes = element_bytes(tensor);
  for (const auto extent : tensor.shape) {
    if (extent < 0) throw Fault{fmt::format("tensor '{}' has the negative extent {}", tensor.name, extent)};
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) {
      throw Fault{fmt::format("the shape of tensor '{}' overflows 64 bits", tensor.name)};
    }
  }
  return bytes;
}

Checksum::Checksum(const std::vector<StoredTensor>& tensors, const std::vector<Extent>& extents,
                   const std::string& state)
    : value_(crc32(0, nullptr, 0)) {
  Json layout = Json::array();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    layout.push_back({tensors[i].name, tensors[i].dtype, tensors[i].shape, extents[i].begin, extents[i].end});
  }
  const auto layout_text = layout.dump();
  add(std::as_bytes(std::span(layout_text)));
  add(std::as_bytes(std::span(state)));
}

void Checksum::add(std::span<const std::byte> bytes) {
  if (!bytes.empty()) value_ = crc32_z(value_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
}

std::string Checksum::text() const {
  return fmt::format("{:08x}", value_);
}

}  // namespace moblo::records::tensor_layout
