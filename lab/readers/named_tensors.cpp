#include "lab/readers/named_tensors.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <array>
#include <cstring>

#include "lab/data/npy.hpp"
#include "lab/readers/npz.hpp"
#include "moblo/base/error.hpp"

namespace moblo::lab::readers {
namespace {

bool is_npz(const std::filesystem::path& file) {
  if (file.extension() == ".npz") return true;
  if (file.extension() == ".safetensors") return false;
  throw Error(ErrorKind::data, file.string(), "weights are kept in .safetensors and .npz files",
              "Save them in one of these formats");
}

records::StoredTensor as_floats(const data::NpyArray& array, const std::string& name, data::Problems& problems) {
  const auto floats = data::npy_floats(array, problems);
  records::StoredTensor out{name, "F32", array.shape, {}};
  out.bytes.resize(floats.size() * sizeof(float));
  std::memcpy(out.bytes.data(), floats.data(), out.bytes.size());
  return out;
}

constexpr std::array descriptions{std::pair{"F16", "<f2"}, std::pair{"F32", "<f4"}, std::pair{"F64", "<f8"},
                                  std::pair{"I64", "<i8"}, std::pair{"I32", "<i4"}, std::pair{"U8", "|u1"},
                                  std::pair{"BOOL", "|b1"}};

/// NumPy's header, padded as NumPy does so that the values begin at a multiple of 64.
data::Bytes npy_file(const records::StoredTensor& tensor) {
  std::string type, shape;
  for (const auto& [dtype, description] : descriptions) {
    if (tensor.dtype == dtype) type = description;
  }
  for (const auto size : tensor.shape) shape += fmt::format("{}, ", size);
  if (shape.size() > 1) shape.erase(shape.size() - (tensor.shape.size() > 1 ? 2 : 1));
  auto header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  constexpr std::size_t prefix = 10, alignment = 64;
  header.append(alignment - 1 - (prefix + header.size()) % alignment, ' ').push_back('\n');
  data::Bytes file{0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  file.push_back(static_cast<std::uint8_t>(header.size() & 0xff));
  file.push_back(static_cast<std::uint8_t>(header.size() >> 8));
  file.insert(file.end(), header.begin(), header.end());
  const auto* values = reinterpret_cast<const std::uint8_t*>(tensor.bytes.data());
  file.insert(file.end(), values, values + tensor.bytes.size());
  return file;
}

class ArchiveWriter {
 public:
  explicit ArchiveWriter(const std::filesystem::path& file) : file_(file) {
    int code = 0;
    zip_ = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
    if (!zip_) throw Error(ErrorKind::io, file.string(), "cannot be written", "Check the folder and its permissions");
  }
  ~ArchiveWriter() {
    if (zip_) zip_discard(zip_);
  }
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  /// The bytes must live until close().
  void add(const std::string& name, const data::Bytes& bytes) {
    zip_source_t* source = zip_source_buffer(zip_, bytes.data(), bytes.size(), 0);
    const std::int64_t at = source ? zip_file_add(zip_, name.c_str(), source, ZIP_FL_ENC_UTF_8) : -1;
    if (at < 0) {
      if (source) zip_source_free(source);
      fail();
    }
    zip_set_file_compression(zip_, static_cast<std::uint64_t>(at), ZIP_CM_STORE, 0);
    zip_file_set_mtime(zip_, static_cast<std::uint64_t>(at), 0, 0);  // the time of day would change the bytes
  }
  void close() {
    if (zip_close(zip_) != 0) fail();
    zip_ = nullptr;
  }

 private:
  [[noreturn]] void fail() {
    throw Error(ErrorKind::io, file_.string(), fmt::format("cannot be written ({})", zip_strerror(zip_)),
                "Check the folder, its permissions and the space on it");
  }

  std::filesystem::path file_;
  zip_t* zip_ = nullptr;
};

}  // namespace

std::vector<records::StoredTensor> read_named_tensors(const std::filesystem::path& file) {
  if (!is_npz(file)) return records::read_tensor_file(file, /*require_checksum=*/false).tensors;
  const NpzFile archive(file);
  data::Problems problems(file.string());
  std::vector<records::StoredTensor> tensors;
  for (const auto& name : archive.names()) tensors.push_back(as_floats(archive.read(name), name, problems));
  problems.refuse_if_any("Give weights that are finite");
  return tensors;
}

void write_named_tensors(const std::filesystem::path& file, const std::vector<records::StoredTensor>& tensors) {
  if (!is_npz(file)) return records::write_tensor_file(file, {.tensors = tensors});
  std::vector<data::Bytes> members;
  for (const auto& tensor : tensors) members.push_back(npy_file(tensor));
  ArchiveWriter archive(file);
  for (std::size_t i = 0; i < tensors.size(); ++i) archive.add(tensors[i].name + ".npy", members[i]);
  archive.close();
}

}  // namespace moblo::lab::readers
