#pragma once

#include <string>

#include "moblo/base/json.hpp"

namespace moblo::base {

/// The machine, as far as it decides speed or numbers.
struct Cpu {
  std::string model;
  int cores = 1;
  bool avx2 = false;
  bool avx512 = false;
};

Cpu probe_cpu();

/// The BLAS that libtorch's products go through.
struct Blas {
  std::string library;  ///< resolved path
  std::string kernel;   ///< what openblas_get_corename() says; empty for another BLAS
  bool openmp = false;  ///< shares torch's thread pool; the pthread build fights it
};

/// Loads `libblas.so.3`, or what MOBLO_BLAS_LIBRARY names, and asks it.
Blas probe_blas();

/// OpenBLAS that does not know a CPU model falls back to a kernel of 2004, at a seventh of the speed. The kernel is
/// chosen when the library loads, from OPENBLAS_CORETYPE. Returns the value to set, or empty where nothing is wrong
/// or the user has set the variable.
std::string better_blas_kernel(const Cpu& cpu, const std::string& kernel, bool user_has_chosen);

/// For a process that is past the choice: what to set before the next start, or empty where the kernel is right.
std::string blas_advice(const Cpu& cpu, const Blas& blas, bool user_has_chosen);

/// Keeps freed tensor memory in the process: glibc otherwise returns it to the kernel at every free and takes page
/// faults for a fifth of the time. Returns what was set, for the manifest.
std::string tune_allocator();

/// All that the manifest says of the machine and the libraries, apart from torch's own version.
Json describe_runtime();

/// Peak resident memory of this process, in bytes.
std::int64_t peak_resident_bytes();

std::string version();

}  // namespace moblo::base

namespace moblo {

using base::version;

}  // namespace moblo
