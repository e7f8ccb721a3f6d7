#pragma once

#include <string>
#include <vector>

#include "tests/system/folders.hpp"
#include "tests/system/refusal.hpp"

namespace moblo::system_test {

inline const std::string synthetic_file = MOBLO_SOURCE_DIR "/experiments/synthetic.toml";

/// `moblo run synthetic.toml` with some options, into a folder, quietly.
inline std::vector<std::string> synthetic_run(const fs::path& out, const std::vector<std::string>& sets) {
  std::vector<std::string> arguments{"run", synthetic_file, "--quiet", "--out", out.string()};
  for (const auto& assignment : sets) arguments.insert(arguments.end(), {"--set", assignment});
  return arguments;
}

inline std::vector<std::string> resumption(const fs::path& run, const std::vector<std::string>& sets = {}) {
  std::vector<std::string> arguments{"run", "--quiet", "--resume", run.string()};
  for (const auto& assignment : sets) arguments.insert(arguments.end(), {"--set", assignment});
  return arguments;
}

inline void expect_done(const Result& result) {
  EXPECT_EQ(result.signal, 0);
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

/// Records, metrics, final state and parameters, byte for byte; what may differ is the time it took.
inline void expect_same_run(const fs::path& run, const fs::path& reference) {
  for (const auto* file : {"steps.jsonl", "evaluations.jsonl", "model.safetensors"}) {
    ASSERT_TRUE(fs::exists(run / file)) << run / file;
    EXPECT_TRUE(read_file(run / file) == read_file(reference / file)) << file << " differs from the reference";
  }
  auto mine = read_json(run / "summary.json"), theirs = read_json(reference / "summary.json");
  for (auto* summary : {&mine, &theirs}) {
    ASSERT_TRUE(summary->is_object());
    for (const auto* key : {"seconds", "records", "checksum"}) summary->erase(key);  // times are among the records
  }
  EXPECT_EQ(mine, theirs);
}

}  // namespace moblo::system_test
