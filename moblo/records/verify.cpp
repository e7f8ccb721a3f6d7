#include "moblo/records/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "moblo/base/error.hpp"
#include "moblo/records/atomic_file.hpp"
#include "moblo/records/checkpoint_folder.hpp"
#include "moblo/records/event_file.hpp"
#include "moblo/records/line_file.hpp"
#include "moblo/records/line_scanner.hpp"
#include "moblo/records/run_folder.hpp"
#include "moblo/records/sample_outcomes.hpp"

namespace moblo::records {
namespace {

namespace fs = std::filesystem;

CheckedFile checked(const std::string& name, const std::function<FileState()>& look) {
  try {
    return {name, look(), ""};
  } catch (const std::exception& error) {
    return {name, FileState::damaged, error.what()};
  }
}

/// Each iteration of a line file comes after the one before it.
class Ascending {
 public:
  void operator()(std::int64_t k) {
    if (k <= last_) {
      throw Error(ErrorKind::data, "its lines", fmt::format("iteration {} stands after iteration {}", k, last_), "");
    }
    last_ = k;
  }

 private:
  std::int64_t last_ = -1;
};

template <class Scan, class Read>
void read_all(const fs::path& file, const Scan& scan, const Read& read) {
  Ascending next;
  const auto take_text = [&](std::string_view line) {
    const auto record = scan(line);
    if (record) next(record->k);
    return record.has_value();
  };
  read_lines(file, take_text, [&](const Json& json) { next(read(json).k); });
}

void read_records_of(const fs::path& folder, const std::string& name) {
  if (name == "steps.jsonl") return read_all(folder / name, scan_step, step_record);
  if (name == "timings.jsonl") return read_all(folder / name, scan_timing, step_timing);
  read_all(
      folder / name, [](std::string_view) { return std::optional<Evaluation>(); }, evaluation);
}

void refuse_different(const fs::path& folder, const std::string& name, const WrittenRecords& written) {
  const auto digest = written.digests.find(name);
  if (digest == written.digests.end()) return;
  const auto rule = difference(folder / name, digest->second, written.whole);
  if (!rule.empty()) throw Error(ErrorKind::data, name, rule, "");
}

CheckedFile check_lines(const fs::path& folder, const std::string& name, const WrittenRecords& written) {
  return checked(name, [&] {
    refuse_different(folder, name, written);
    read_records_of(folder, name);
    return written.digests.contains(name) ? FileState::good : FileState::unprotected;
  });
}

CheckedFile check_tensors(const fs::path& folder, const std::string& name) {
  return checked(name, [&] {
    read_tensor_file(folder / name, true);
    return FileState::good;
  });
}

/// With the records that it saw.
CheckedFile check_checkpoint(const fs::path& folder, const std::string& name) {
  return checked(name, [&] {
    const auto written = digests_in(read_tensor_file(folder / name, true).state);
    const auto changed = differences(folder, written, /*whole=*/false);
    if (!changed.empty()) throw Error(ErrorKind::data, changed.front(), "is not what the checkpoint saw", "");
    return written.empty() ? FileState::unprotected : FileState::good;
  });
}

std::vector<std::string> names_in(const fs::path& folder, const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure); !failure && entry != fs::directory_iterator();
       entry.increment(failure)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with(prefix) && !is_temporary(entry->path())) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void check_samples(const fs::path& folder, const WrittenRecords& written, std::vector<CheckedFile>& to) {
  for (const auto& [name, digest] : written.digests) {
    if (name.ends_with(".jsonl")) continue;
    to.push_back(checked(name, [&, file = name] {
      refuse_different(folder, file, written);
      return FileState::good;
    }));
  }
}

}  // namespace

bool CheckedFolder::sound() const {
  return std::none_of(files.begin(), files.end(),
                      [](const CheckedFile& file) { return file.state == FileState::damaged; });
}

CheckedFile check_document(const fs::path& folder, const std::string& name) {
  return checked(name, [&] {
    auto state = FileState::unprotected;
    read_document(folder / name, [&](const Json& json) {
      if (json.is_object() && json.contains(checksum_field)) state = FileState::good;
    });
    return state;
  });
}

CheckedFolder check_run(const fs::path& folder) {
  CheckedFolder out{folder, {}, is_present(folder / ".lock") && FolderLock::is_held(folder)};
  out.files.push_back(check_document(folder, "manifest.json"));
  if (is_present(folder / "summary.json")) out.files.push_back(check_document(folder, "summary.json"));
  const auto written = written_records(folder);
  for (const auto* name : {"steps.jsonl", "timings.jsonl", "evaluations.jsonl"}) {
    out.files.push_back(check_lines(folder, name, written));
  }
  for (const auto& name : names_in(folder / "checkpoint", "step-")) {
    out.files.push_back(check_checkpoint(folder, "checkpoint/" + name));
  }
  for (const auto& name : names_in(folder, "model")) {
    if (name.ends_with(".safetensors")) out.files.push_back(check_tensors(folder, name));
  }
  check_samples(folder, written, out.files);
  for (const auto& name : names_in(folder, "events.out.tfevents.")) {
    out.files.push_back(checked(name, [&] {
      check_event_file(folder / name);
      return FileState::good;
    }));
  }
  return out;
}

}  // namespace moblo::records
