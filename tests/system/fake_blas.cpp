// Passes for an OpenBLAS that chose the kernel FAKE_BLAS_KERNEL when it was loaded.
#include <cstdlib>

extern "C" {

const char* openblas_get_corename() {
  const char* kernel = std::getenv("FAKE_BLAS_KERNEL");
  return kernel ? kernel : "Prescott";
}

const char* openblas_get_config() {
  return "OpenBLAS 0.3.21 DYNAMIC_ARCH USE_OPENMP";
}
}
