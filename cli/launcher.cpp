#include "cli/launcher.hpp"

#include <fmt/format.h>
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
