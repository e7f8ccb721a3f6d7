#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "moblo/records/append_file.hpp"

namespace moblo::records {

using Scalars = std::vector<std::pair<std::string, double>>;  ///< by tag

/// The pieces of TensorBoard's event files, as protocol buffers of tensorflow.Event.
std::string version_event(double wall_time);
/// Tells TensorBoard that what earlier files say of this step and later ones was taken back.
std::string start_event(double wall_time, std::int64_t step);
std::string scalar_event(double wall_time, std::int64_t step, const Scalars& scalars);
std::string image_event(double wall_time, std::int64_t step, const std::string& tag, std::int64_t height,
                        std::int64_t width, std::int64_t channels, std::string_view png);

/// One record of a TFRecord file: length, masked CRC-32C of it, bytes, masked CRC-32C of them.
std::string tf_record(std::string_view bytes);

/// CRC-32C (Castagnoli) turned by 15 bits plus a constant, so that a CRC of data that holds CRCs is no weak one.
std::uint32_t masked_crc32c(std::string_view bytes);

/// Every record against its checksums; Error(data) names the first that is wrong. A last one that is not whole belongs
/// to a write that was under way.
void check_event_file(const std::filesystem::path& file);

/// events.out.tfevents.SECONDS.HOST in a run folder; a new file each time a run starts or goes on.
class EventFile {
 public:
  EventFile(const std::filesystem::path& folder, std::int64_t first_step);

  void add(std::int64_t step, const Scalars& scalars);
  void add_image(std::int64_t step, const std::string& tag, std::int64_t height, std::int64_t width,
                 std::int64_t channels, std::string_view png);
  /// Error(io) where the disk is full.
  void flush();
  const std::filesystem::path& path() const { return path_; }

 private:
  void write(const std::string& event);

  std::filesystem::path path_;
  AppendFile out_;
};

}  // namespace moblo::records
