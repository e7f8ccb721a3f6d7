#include "lab/clean/clean_state.hpp"

#include <fmt/format.h>

#include <cstring>

#include "lab/data/digest.hpp"
#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"

namespace moblo::lab::clean {
namespace {

namespace fs = std::filesystem;

constexpr const char* state_folder = "clean_state";
constexpr const char* request_file = "asked.safetensors";

/// Paths need not be UTF-8, which JSON's text has to be.
std::vector<std::uint8_t> as_bytes(const Json& asked) {
  return Json::to_cbor(asked);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

void write_request(const fs::path& file, const Json& asked) {
  const auto bytes = as_bytes(asked);
  records::StoredTensor tensor{"asked", "U8", {static_cast<std::int64_t>(bytes.size())}, {}};
  tensor.bytes.resize(bytes.size());
  std::memcpy(tensor.bytes.data(), bytes.data(), bytes.size());
  records::write_tensor_file(file, {{tensor}, Json::object()});
}

/// Stops a parser before it nests so deeply that the stack overflows.
class ShallowOnly : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return ++depth_ <= deepest; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ <= deepest; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  static constexpr int deepest = 10;
  int depth_ = 0;
};

Json read_request(const fs::path& file) {
  const auto content = records::read_tensor_file(file, /*require_checksum=*/true);
  if (content.tensors.size() != 1) return Json::value_t::discarded;
  const auto& bytes = content.tensors.front().bytes;
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  ShallowOnly shallow;
  if (!Json::sax_parse(first, first + bytes.size(), &shallow, Json::input_format_t::cbor)) {
    return Json::value_t::discarded;
  }
  return Json::from_cbor(first, first + bytes.size(), /*strict=*/true, /*allow_exceptions=*/false);
}

}  // namespace

std::optional<Json> stored_request(const fs::path& folder) {
  const auto file = folder / state_folder / request_file;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  std::string fault = "is not what `moblo clean` writes there";
  try {
    auto asked = read_request(file);
    if (asked.is_object()) return asked;
  } catch (const Error& error) {
    fault = error.what();
  }
  throw Error(ErrorKind::checkpoint, file.string(), fmt::format("does not tell what was asked: {}", fault),
              fmt::format("Remove {} to start over, or choose another --out", (folder / state_folder).string()));
}

CleanState::CleanState(const fs::path& folder, const Json& asked)
    : folder_(folder / state_folder), key_(data::sha256(std::span<const std::uint8_t>(as_bytes(asked)))) {
  std::error_code failure;
  fs::create_directory(folder_, failure);
  if (failure) throw records::io_error(folder_, "cannot be created", failure.value());
  records::sync_to_disk(folder);
  if (!stored_request(folder)) write_request(folder_ / request_file, asked);
  for (const auto& file : files_in(folder_)) {
    if (file.filename() != request_file) read(file);
  }
}

/// Anything but a result was being written when its process was killed.
void CleanState::read(const fs::path& file) {
  std::error_code ignored;
  try {
    if (file.extension() == ".safetensors") {
      auto content = records::read_tensor_file(file, /*require_checksum=*/true);
      const auto job = file.stem().string();
      if (content.state == Json{{"job", job}, {"asked", key_}}) {
        results_[job] = std::move(content.tensors);
        return;
      }
      warnings_.push_back(fmt::format("{}: belongs to something else. Its job is done again.", file.string()));
    }
  } catch (const Error& error) {
    warnings_.push_back(fmt::format("{} Its job is done again.", error.what()));
  }
  fs::remove_all(file, ignored);
}

void CleanState::keep(const std::string& job, const JobResult& result) const {
  if (folder_.empty()) return;
  records::write_tensor_file(folder_ / (job + ".safetensors"), {result, Json{{"job", job}, {"asked", key_}}});
}

void remove_clean_state(const fs::path& folder) {
  std::error_code ignored;
  const auto state = folder / state_folder;
  if (!fs::exists(state, ignored)) return;
  for (const auto& file : files_in(state)) {
    if (file.filename() != request_file) fs::remove_all(file, ignored);
  }
  fs::remove_all(state, ignored);
}

}  // namespace moblo::lab::clean
