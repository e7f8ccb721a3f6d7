#include "moblo/base/runtime.hpp"

#include <cpuid.h>
#include <dlfcn.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>

namespace moblo::base {
namespace {

std::string cpu_model() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

bool is_one_of(std::string_view kernel, std::initializer_list<std::string_view> kernels) {
  return std::find(kernels.begin(), kernels.end(), kernel) != kernels.end();
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Cpu probe_cpu() {
  Cpu cpu;
  cpu.model = cpu_model();
  cpu.cores = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#if defined(__x86_64__)
  __builtin_cpu_init();
  cpu.avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  cpu.avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
#endif
  return cpu;
}

Blas probe_blas() {
  const std::string chosen = environment("MOBLO_BLAS_LIBRARY");
  Blas blas;
  void* library = dlopen(chosen.empty() ? "libblas.so.3" : chosen.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library) return blas;
  using Text = char* (*)();
  if (const auto core = reinterpret_cast<Text>(dlsym(library, "openblas_get_corename"))) {
    blas.kernel = core();
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(core), &info) && info.dli_fname) {
      char resolved[4096];
      blas.library = realpath(info.dli_fname, resolved) ? resolved : info.dli_fname;
    }
  }
  if (const auto config = reinterpret_cast<Text>(dlsym(library, "openblas_get_config"))) {
    blas.openmp = std::string_view(config()).find("USE_OPENMP") != std::string_view::npos;
  }
  return blas;
}

std::string better_blas_kernel(const Cpu& cpu, const std::string& kernel, bool user_has_chosen) {
  if (user_has_chosen || kernel.empty()) return "";
  const bool fits_avx512 = is_one_of(kernel, {"SkylakeX", "Cooperlake", "SapphireRapids"});
  const bool fits_avx2 = fits_avx512 || is_one_of(kernel, {"Haswell", "Zen", "Excavator"});
  // With AVX-512 a Haswell or Zen kernel is as fast on some CPUs: only a kernel without AVX2 is surely wrong there.
  if (cpu.avx2 && !fits_avx2) return cpu.avx512 ? "SkylakeX" : "Haswell";
  return "";
}

std::string blas_advice(const Cpu& cpu, const Blas& blas, bool user_has_chosen) {
  const std::string better = better_blas_kernel(cpu, blas.kernel, user_has_chosen);
  if (better.empty()) return "";
  return "OpenBLAS took its kernel '" + blas.kernel +
         "' on a CPU that can do several times better; set OPENBLAS_CORETYPE=" + better + " before the program starts";
}

std::string tune_allocator() {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
  constexpr int largest_threshold = 32 << 20;  // glibc refuses more
  const bool set = mallopt(M_MMAP_THRESHOLD, largest_threshold) && mallopt(M_TRIM_THRESHOLD, 1 << 30) &&
                   mallopt(M_TOP_PAD, 16 << 20);
  return set ? "glibc, mmap threshold 32 MiB, trim threshold 1 GiB" : "glibc, defaults";
#else
  return "system default";
#endif
}

Json describe_runtime() {
  const Cpu cpu = probe_cpu();
  const Blas blas = probe_blas();
  Json out;
  out["moblo"] = version();
  out["compiler"] = __VERSION__;
  out["cpu"] = cpu.model;
  out["cores"] = cpu.cores;
  out["simd"] = cpu.avx512 ? "avx512" : cpu.avx2 ? "avx2" : "baseline";
  out["blas_library"] = blas.library;
  out["blas_kernel"] = blas.kernel;
  out["blas_threads"] = blas.openmp ? "OpenMP (shared with torch)" : "own pool";
  out["OPENBLAS_CORETYPE"] = environment("OPENBLAS_CORETYPE");
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  out["host"] = host.data();
  return out;
}

std::int64_t peak_resident_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
}

std::string version() {
  return MOBLO_VERSION;
}

}  // namespace moblo::base
