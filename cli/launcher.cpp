#include "cli/launcher.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "moblo/base/error.hpp"
#include "moblo/base/runtime.hpp"

namespace moblo::cli {
namespace {

namespace fs = std::filesystem;

fs::path engine() {
  std::error_code ignored;
  const fs::path here = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const auto& candidate : {here / "moblo-engine", here.parent_path() / "libexec/moblo/moblo-engine"}) {
    if (fs::exists(candidate, ignored)) return candidate;
  }
  throw Error(ErrorKind::io, (here / "moblo-engine").string(), "is missing: the half of the program that needs torch",
              "Build or install moblo again");
}

/// How many threads OpenBLAS is going to start: what the user says, or one per core.
std::int64_t blas_threads() {
  for (const auto* name : {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"}) {
    const char* value = std::getenv(name);
    if (const auto threads = value ? std::atoll(value) : 0; threads > 0) return threads;
  }
  return base::probe_cpu().cores;
}

/// OpenBLAS takes 128 MiB per thread as it loads, and where it cannot have them it tries again without end. So a limit
/// on memory (ulimit, a batch system) is looked at first.
void refuse_too_little_memory() {
  const auto mebibytes = 128 * blas_threads() + 160;
  const auto bytes = static_cast<std::size_t>(mebibytes) << 20;
  void* const space = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) {
    throw Error(ErrorKind::io, "the memory of this process",
                fmt::format("is limited to less than the {} MiB that the libraries need on {} threads", mebibytes,
                            blas_threads()),
                "Raise the limit (ulimit -d, ulimit -v), or set OMP_NUM_THREADS=1");
  }
  munmap(space, bytes);
}

/// Asked of the library itself, in this short-lived process, because it decides when it loads.
void choose_blas_kernel() {
  const bool user_has_chosen = std::getenv("OPENBLAS_CORETYPE") != nullptr;
  if (user_has_chosen) return;
  const std::string kernel = base::better_blas_kernel(base::probe_cpu(), base::probe_blas().kernel, user_has_chosen);
  if (!kernel.empty()) setenv("OPENBLAS_CORETYPE", kernel.c_str(), 0);
}

}  // namespace

fs::path prepare_engine() {
  const fs::path program = engine();
  refuse_too_little_memory();
  choose_blas_kernel();
  unsetenv("MOBLO_BLAS_LIBRARY");  // names a library for this probe alone; the engine describes the one it is linked to
  return program;
}

void become_engine(char** argv) {
  const fs::path program = prepare_engine();
  execv(program.c_str(), argv);
  throw Error(ErrorKind::io, program.string(), fmt::format("cannot be started: {}", std::strerror(errno)),
              "Build or install moblo again");
}

}  // namespace moblo::cli
