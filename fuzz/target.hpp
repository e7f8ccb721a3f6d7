#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "moblo/base/error.hpp"

namespace moblo::fuzz {

using Input = std::span<const std::uint8_t>;

/// What must hold whatever the input; libFuzzer keeps the input where it does not.
inline void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: does not hold: %s\n", what);
  std::abort();
}

/// A reader may refuse by Error with words, and by nothing else. True where it accepted.
template <class Read>
bool accepts(const Read& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    must(std::strlen(error.what()) > 3, "an Error has a text");
    return false;
  }
}

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

inline std::vector<std::uint8_t> bytes_of(Input input) {
  return {input.begin(), input.end()};
}

/// Takes values off the front; zeros once nothing is left.
class Taker {
 public:
  explicit Taker(Input input) : rest_(input) {}

  template <class Number>
  Number take() {
    Number value{};
    const std::size_t count = std::min(sizeof value, rest_.size());
    if (count > 0) std::memcpy(&value, rest_.data(), count);
    rest_ = rest_.subspan(count);
    return value;
  }
  /// In 0 .. most.
  int up_to(int most) { return take<std::uint8_t>() % (most + 1); }
  Input bytes(std::size_t count) {
    const Input taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  /// Up to the separator, which is taken too, or all.
  Input until(std::string_view separator) {
    const std::size_t at = text_of(rest_).find(separator);
    const Input taken = rest_.first(std::min(at, rest_.size()));
    rest_ = rest_.subspan(at == std::string_view::npos ? rest_.size() : at + separator.size());
    return taken;
  }
  Input rest() const { return rest_; }
  bool empty() const { return rest_.empty(); }

 private:
  Input rest_;
};

/// Parts of one input that stand for several files; no mutation makes it by chance where it is not wanted.
inline constexpr std::string_view next_file = "\n=====\n";

/// A file in memory (tmpfs) of a given name, for readers that take a path. Kept open, and written anew for each input.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& name);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::filesystem::path& write(std::string_view content);
  const std::filesystem::path& write(Input content) { return write(text_of(content)); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// The folder of this process for them.
const std::filesystem::path& scratch_folder();

/// All targets of the program that replays the corpora, by name.
using Target = void (*)(Input);
struct Registered {
  Registered(const char* name, Target target);
};

}  // namespace moblo::fuzz

/// MOBLO_FUZZ_TARGET(name) { ... input ... }
#ifdef MOBLO_LIBFUZZER
#define MOBLO_FUZZ_TARGET(name)                                                    \
  static void run_##name(moblo::fuzz::Input input);                                \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) { \
    run_##name({data, n});                                                         \
    return 0;                                                                      \
  }                                                                                \
  static void run_##name(moblo::fuzz::Input input)
#else
#define MOBLO_FUZZ_TARGET(name)                                              \
  static void run_##name(moblo::fuzz::Input input);                          \
  static const moblo::fuzz::Registered registered_##name{#name, run_##name}; \
  static void run_##name(moblo::fuzz::Input input)
#endif
