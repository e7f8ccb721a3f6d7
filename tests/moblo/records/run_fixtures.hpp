#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "moblo/base/error.hpp"
#include "moblo/records/run_folder.hpp"

namespace moblo::records::fixtures {

/// A folder of its own for one test, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("moblo-test-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline void write_raw(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

inline void append_raw(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::app) << text;
}

/// The message of the moblo::Error that `action` must throw; any other exception, or none, fails the test.
template <class Action>
std::string error_text(ErrorKind kind, const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}

/// Two objectives that decay towards a front, with a constraint that becomes active: values as a real run has them.
inline StepRecord sample_step(std::int64_t k) {
  const double t = static_cast<double>(k);
  StepRecord step;
  step.k = k;
  step.losses = {1.0 / 3.0 + std::exp(-t / 40), 0.1 + std::exp(-t / 90)};
  step.lower_loss = 2e-3 + std::exp(-t / 20);
  step.q = std::exp(-t / 15);
  step.kkt = 0.3 * std::exp(-t / 25);
  step.weights = {0.5 + 0.4 * std::exp(-t / 50), 0.5 - 0.4 * std::exp(-t / 50)};
  step.solved_weights = {0.6, 0.4};
  step.nu = k % 7 == 0 ? 0.0 : 1.5 + std::sin(t / 10);
  step.gradient_norms = {1 / (1 + t), 2 / (1 + t), 0.5 / (1 + t)};
  step.conflict_cosines = {-0.25, 0.5, 0.125};
  step.qp_status = "solved";
  step.qp_residual = 1e-16;
  step.distance = 3 * std::exp(-t / 30);
  return step;
}

inline StepTiming sample_timing(std::int64_t k) {
  return {k, {{"lower loop", 4e-3}, {"gradients", 1e-3}, {"aggregation", 2e-5}}, 120 << 20};
}

inline Manifest sample_manifest(const std::string& title = "synthetic, forum") {
  Manifest manifest;
  manifest.created = "2024-05-01T12:00:00Z";
  manifest.title = title;
  manifest.config = {{"problem", "synthetic"}, {"method", "forum"}, {"forum", {{"rho", 0.1}, {"steps", 16}}}};
  manifest.runtime = {{"version", "0.1.0"}, {"cpu", "a CPU"}, {"threads", 2}};
  manifest.problem = {{"m", 2}, {"n", 1}, {"p", 2}};
  manifest.datasets = Json::object();
  return manifest;
}

inline Summary sample_summary(std::int64_t iterations) {
  const auto last = sample_step(iterations);
  Summary summary;
  summary.status = RunStatus::completed;
  summary.iterations = iterations;
  summary.seconds = 0.005 * static_cast<double>(iterations);
  summary.final_state = {{"losses", last.losses}, {"q", last.q}, {"kkt", last.kkt}, {"distance", *last.distance}};
  summary.final_state["alpha"] = {0.25};
  summary.final_state["omega"] = {0.5, -0.5};
  return summary;
}

/// A whole run in `folder`, written as the training loop writes it.
inline void write_sample_run(const std::filesystem::path& folder, std::int64_t iterations,
                             const std::string& title = "synthetic, forum") {
  auto run = RunFolder::create(folder, sample_manifest(title));
  for (std::int64_t k = 0; k < iterations; ++k) {
    if (k % 100 == 0) run.append(Evaluation{k, {{"test accuracy / a", 0.5}}});
    run.append(sample_step(k));
    run.append(sample_timing(k));
  }
  run.save_summary(sample_summary(iterations));
}

template <class Number>
StoredTensor tensor(const std::string& name, const std::string& dtype, const std::vector<std::int64_t>& shape,
                    const std::vector<Number>& values) {
  StoredTensor stored{name, dtype, shape, std::vector<std::byte>(values.size() * sizeof(Number))};
  if (!values.empty()) std::memcpy(stored.bytes.data(), values.data(), stored.bytes.size());
  return stored;
}

inline TensorFile sample_tensors(double value = 1.5) {
  TensorFile content;
  content.tensors.push_back(tensor<std::uint8_t>("mask", "BOOL", {3}, {1, 0, 1}));
  content.tensors.push_back(tensor<double>("omega", "F64", {2, 2}, {value, -2.5, 1e-300, 4}));
  content.tensors.push_back(tensor<float>("alpha", "F32", {2}, {0.25f, 0.5f}));
  content.tensors.push_back(tensor<std::int64_t>("order", "I64", {}, {42}));
  content.tensors.push_back(tensor<std::int32_t>("none", "I32", {0, 4}, {}));
  content.state = {{"next_k", 7}, {"rng", {1, 2, 3, 18446744073709551615ull}}};
  return content;
}

}  // namespace moblo::records::fixtures

namespace moblo {
namespace fixtures = records::fixtures;
}  // namespace moblo
