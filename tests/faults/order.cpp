#include "tests/faults/order.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <cstdlib>

namespace moblo::faults {
namespace {

/// With the C library's open and close: the shim has its own.
Counts* shared_counts() {
  const char* file = std::getenv("MOBLO_FAULT_COUNTS");
  if (!file) return nullptr;
  const auto plain_open = reinterpret_cast<int (*)(const char*, int, ...)>(dlsym(RTLD_NEXT, "open"));
  const int descriptor = plain_open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  void* memory = mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const auto plain_close = reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "close"));
  plain_close(descriptor);
  return memory == MAP_FAILED ? nullptr : static_cast<Counts*>(memory);
}

Order read_order() {
  Order read;
  const auto text = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string_view(value ? value : "");
  };
  read.root = text("MOBLO_FAULT_ROOT");
  read.counts = shared_counts();
  for (int kind = 0; kind < kinds; ++kind) {
    if (text("MOBLO_FAULT_KIND") == kind_names[kind]) read.kind = kind;
  }
  if (const char* at = std::getenv("MOBLO_FAULT_AT")) read.at = std::strtoull(at, nullptr, 10);
  if (const char* error = std::getenv("MOBLO_FAULT_ERROR")) read.error = std::atoi(error);
  read.lasts = text("MOBLO_FAULT_LASTS") == "1";
  return read;
}

Order& kept_order() {
  static Order read = read_order();
  return read;
}

}  // namespace

const Order& order() {
  return kept_order();
}

void read_order_again() {
  kept_order() = read_order();
}

}  // namespace moblo::faults
