#include "moblo/records/tensor_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string_view>

#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/json_fields.hpp"
#include "moblo/records/tensor_layout.hpp"

namespace moblo::records {
namespace {

using tensor_layout::Checksum, tensor_layout::Extent, tensor_layout::Fault;
using tensor_layout::element_bytes, tensor_layout::expected_bytes;

constexpr std::string_view metadata_key = "__metadata__";
constexpr const char* state_key = "moblo.state";
constexpr const char* checksum_key = "moblo.crc32";
constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t longest_header = 100'000'000;  ///< the limit that the format's own reader sets
constexpr int deepest_nesting = 100;                   ///< functions that walk a document recurse

/// Header order, with the tensors of wide elements first in the data: then every tensor is aligned to its element, as
/// readers that map the file need it.
std::vector<std::size_t> data_order(const std::vector<StoredTensor>& tensors) {
  std::vector<std::size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&tensors](std::size_t a, std::size_t b) {
    return element_bytes(tensors[a]) > element_bytes(tensors[b]);
  });
  return order;
}

std::vector<Extent> lay_out(const std::vector<StoredTensor>& tensors, const std::vector<std::size_t>& order) {
  std::vector<Extent> extents(tensors.size());
  std::uint64_t offset = 0;
  for (const auto i : order) {
    extents[i] = {offset, offset + tensors[i].bytes.size()};
    offset = extents[i].end;
  }
  return extents;
}

std::array<std::byte, length_bytes> little_endian(std::uint64_t value) {
  std::array<std::byte, length_bytes> bytes;
  for (auto& byte : bytes) {
    byte = static_cast<std::byte>(value & 0xff);
    value >>= 8;
  }
  return bytes;
}

std::uint64_t from_little_endian(const std::array<std::byte, length_bytes>& bytes) {
  std::uint64_t value = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) value = value << 8 | std::to_integer<unsigned>(*byte);
  return value;
}

void refuse_unwritable(const TensorFile& content) {
  if (!content.state.is_object()) throw Fault{"the state is not a JSON object"};
  std::set<std::string_view> names{metadata_key};
  for (const auto& tensor : content.tensors) {
    if (!names.insert(tensor.name).second) {
      throw Fault{fmt::format("tensor name '{}' is taken already", tensor.name)};
    }
    if (expected_bytes(tensor) != tensor.bytes.size()) {
      throw Fault{fmt::format("tensor '{}' of {} has {} bytes where its shape needs {}", tensor.name, tensor.dtype,
                              tensor.bytes.size(), expected_bytes(tensor))};
    }
  }
}

std::string header_text(const TensorFile& content, const std::vector<Extent>& extents, const std::string& state,
                        const std::string& checksum) {
  Json header = Json::object();
  header[std::string(metadata_key)] = {{state_key, state}, {checksum_key, checksum}};
  for (std::size_t i = 0; i < content.tensors.size(); ++i) {
    const auto& tensor = content.tensors[i];
    header[tensor.name] = {{"dtype", tensor.dtype},
                           {"shape", tensor.shape},
                           {"data_offsets", Json::array({extents[i].begin, extents[i].end})}};
  }
  auto text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

void write_checked(const std::filesystem::path& file, const TensorFile& content) {
  refuse_unwritable(content);
  const auto order = data_order(content.tensors);
  const auto extents = lay_out(content.tensors, order);
  const auto state = encode_non_finite(content.state).dump();
  Checksum checksum(content.tensors, extents, state);
  for (const auto i : order) checksum.add(content.tensors[i].bytes);
  const auto header = header_text(content, extents, state, checksum.text());
  const auto length = little_endian(header.size());
  std::vector<std::span<const std::byte>> pieces{length, std::as_bytes(std::span(header))};
  for (const auto i : order) pieces.emplace_back(content.tensors[i].bytes);
  write_atomically(file, pieces);
}

/// A JSON object without repeated keys (of which a plain parse would silently take one) and of bounded depth.
Json parse_strictly(const std::string& text, const std::string& what) {
  std::vector<std::set<std::string>> keys_at_depth(deepest_nesting + 2);
  const auto inspect = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > deepest_nesting) throw Fault{fmt::format("its {} is nested too deeply", what)};
    auto& keys = keys_at_depth[static_cast<std::size_t>(depth) + (event == Json::parse_event_t::object_start ? 1 : 0)];
    if (event == Json::parse_event_t::object_start) keys.clear();
    if (event == Json::parse_event_t::key && !keys.insert(parsed.get<std::string>()).second) {
      throw Fault{fmt::format("its {} holds the name '{}' twice", what, parsed.get<std::string>())};
    }
    return true;
  };
  auto json = Json::parse(text, inspect, false);
  if (!json.is_object()) throw Fault{fmt::format("its {} is not a JSON object", what)};
  return json;
}

std::uint64_t non_negative(const Json& value, const std::string& tensor, const std::string& field) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max()) {
    throw Fault{fmt::format("'{}' of tensor '{}' must hold integers of 0 or more", field, tensor)};
  }
  return value.get<std::uint64_t>();
}

const Json& member(const Json& entry, const std::string& tensor, const char* field) {
  const auto found = entry.is_object() ? entry.find(field) : entry.end();
  if (found == entry.end()) throw Fault{fmt::format("tensor '{}' has no '{}'", tensor, field)};
  return *found;
}

StoredTensor tensor_without_data(const std::string& name, const Json& entry) {
  StoredTensor tensor{.name = name, .dtype = {}, .shape = {}, .bytes = {}};
  const auto& dtype = member(entry, name, "dtype");
  if (!dtype.is_string()) throw Fault{fmt::format("'dtype' of tensor '{}' must be a string", name)};
  tensor.dtype = dtype.get<std::string>();
  const auto& shape = member(entry, name, "shape");
  if (!shape.is_array()) throw Fault{fmt::format("'shape' of tensor '{}' must be a list", name)};
  for (const auto& extent : shape) {
    tensor.shape.push_back(static_cast<std::int64_t>(non_negative(extent, name, "shape")));
  }
  return tensor;
}

Extent extent_of(const StoredTensor& tensor, const Json& entry) {
  const auto& offsets = member(entry, tensor.name, "data_offsets");
  if (!offsets.is_array() || offsets.size() != 2) {
    throw Fault{fmt::format("'data_offsets' of tensor '{}' must be two integers", tensor.name)};
  }
  const Extent extent{non_negative(offsets[0], tensor.name, "data_offsets"),
                      non_negative(offsets[1], tensor.name, "data_offsets")};
  if (extent.begin > extent.end || extent.end - extent.begin != expected_bytes(tensor)) {
    throw Fault{fmt::format("the offsets {}..{} of tensor '{}' do not match its shape, which needs {} bytes",
                            extent.begin, extent.end, tensor.name, expected_bytes(tensor))};
  }
  return extent;
}

/// Offsets that tile the data exactly can neither overlap nor point outside, and their sum is the file's size: after
/// this check, memory may be taken by them.
std::vector<std::size_t> refuse_unless_tiled(const std::vector<Extent>& extents, std::uint64_t data_bytes) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&extents](std::size_t a, std::size_t b) {
    return std::pair(extents[a].begin, extents[a].end) < std::pair(extents[b].begin, extents[b].end);
  });
  std::uint64_t offset = 0;
  for (const auto i : order) {
    if (extents[i].begin != offset) throw Fault{"its tensors overlap or leave gaps"};
    offset = extents[i].end;
  }
  if (offset != data_bytes) {
    throw Fault{fmt::format("its tensors take {} bytes, the file holds {}: it is cut off or has been added to", offset,
                            data_bytes)};
  }
  return order;
}

std::optional<std::string> metadata_text(const Json& header, const char* key) {
  const auto metadata = header.find(std::string(metadata_key));
  if (metadata == header.end()) return std::nullopt;
  if (!metadata->is_object()) throw Fault{"its metadata is not a JSON object"};
  const auto found = metadata->find(key);
  if (found == metadata->end()) return std::nullopt;
  if (!found->is_string()) throw Fault{fmt::format("its metadata '{}' is not a string", key)};
  return found->get<std::string>();
}

void read_exactly(std::istream& in, std::byte* to, std::uint64_t count) {
  if (!in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count))) throw Fault{"it ends too early"};
}

Json read_header(std::istream& in, std::uint64_t file_bytes) {
  if (file_bytes < length_bytes) throw Fault{fmt::format("it has {} bytes, too few for a header", file_bytes)};
  std::array<std::byte, length_bytes> length;
  read_exactly(in, length.data(), length.size());
  const auto header_bytes = from_little_endian(length);
  if (header_bytes > std::min(file_bytes - length_bytes, longest_header)) {
    throw Fault{fmt::format("its header claims {} bytes, the file holds {}", header_bytes, file_bytes)};
  }
  std::string text(header_bytes, ' ');
  read_exactly(in, reinterpret_cast<std::byte*>(text.data()), text.size());
  return parse_strictly(text, "header");
}

void refuse_odd_booleans(const StoredTensor& tensor) {
  if (tensor.dtype == "BOOL" &&
      std::any_of(tensor.bytes.begin(), tensor.bytes.end(), [](std::byte byte) { return byte > std::byte{1}; })) {
    throw Fault{fmt::format("the truth values of tensor '{}' are not all 0 or 1", tensor.name)};
  }
}

TensorFile read_checked(std::istream& in, std::uint64_t file_bytes, bool require_checksum) {
  const auto header = read_header(in, file_bytes);
  TensorFile content;
  std::vector<Extent> extents;
  for (auto entry = header.begin(); entry != header.end(); ++entry) {
    if (entry.key() == metadata_key) continue;
    content.tensors.push_back(tensor_without_data(entry.key(), entry.value()));
    extents.push_back(extent_of(content.tensors.back(), entry.value()));
  }
  const auto order = refuse_unless_tiled(extents, file_bytes - static_cast<std::uint64_t>(in.tellg()));
  const auto state = metadata_text(header, state_key);
  const auto stored_checksum = metadata_text(header, checksum_key);
  if (require_checksum && !stored_checksum) throw Fault{"it has no checksum, so it was not written by this program"};
  Checksum checksum(content.tensors, extents, state.value_or(""));
  for (const auto i : order) {
    auto& tensor = content.tensors[i];
    tensor.bytes.resize(extents[i].end - extents[i].begin);
    read_exactly(in, tensor.bytes.data(), tensor.bytes.size());
    checksum.add(tensor.bytes);
  }
  if (stored_checksum && *stored_checksum != checksum.text()) {
    throw Fault{fmt::format("its content has the checksum {}, {} was stored: it is damaged", checksum.text(),
                            *stored_checksum)};
  }
  for (const auto& tensor : content.tensors) refuse_odd_booleans(tensor);
  if (state) content.state = decode_non_finite(parse_strictly(*state, "state"));
  return content;
}

}  // namespace

void write_tensor_file(const std::filesystem::path& file, const TensorFile& content) {
  try {
    write_checked(file, content);
  } catch (const Fault& fault) {
    throw Error(ErrorKind::checkpoint, file.string(), fault.rule, "The file was not written; give tensors that agree");
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::checkpoint, file.string(), "a name or a state in it is not UTF-8 text", "Use plain text");
  }
}

namespace {

template <class Read>
auto read_opened(const std::filesystem::path& file, const Read& read) {
  const std::string next = "Take another checkpoint or model file";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    throw Error(ErrorKind::checkpoint, file.string(), "there is no such file", next);
  }
  if (!std::filesystem::is_regular_file(file, ignored)) {
    throw Error(ErrorKind::checkpoint, file.string(), "is not a file", next);
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(ErrorKind::checkpoint, file.string(), "cannot be opened", "Check its permissions");
  try {
    return read(in, std::filesystem::file_size(file));
  } catch (const Fault& fault) {
    throw Error(ErrorKind::checkpoint, file.string(), fault.rule, next);
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(ErrorKind::checkpoint, file.string(), error.code().message(), next);
  }
}

}  // namespace

TensorFile read_tensor_file(const std::filesystem::path& file, bool require_checksum) {
  return read_opened(
      file, [&](std::istream& in, std::uint64_t file_bytes) { return read_checked(in, file_bytes, require_checksum); });
}

Json read_tensor_state(const std::filesystem::path& file) {
  return read_opened(file, [](std::istream& in, std::uint64_t file_bytes) {
    const auto state = metadata_text(read_header(in, file_bytes), state_key);
    return state ? decode_non_finite(parse_strictly(*state, "state")) : Json();
  });
}

}  // namespace moblo::records
