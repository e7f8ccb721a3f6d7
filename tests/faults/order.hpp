#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace moblo::faults {

enum Kind { k_write, k_sync, k_rename, k_open, k_read_open, k_truncate, k_unlink, k_mkdir, k_fork, k_close, kinds };
constexpr const char* kind_names[kinds] = {"write",    "sync",   "rename", "open", "read_open",
                                           "truncate", "unlink", "mkdir",  "fork", "close"};

/// tools/fault_shim.py reads it as eleven little-endian integers and a text.
struct Counts {
  std::atomic<std::uint64_t> calls[kinds];
  std::atomic<std::uint64_t> failed;
  char first_victim[512];
};

/// What the environment asks for.
struct Order {
  std::string_view root;
  Counts* counts = nullptr;
  int kind = kinds;
  std::uint64_t at = 0;
  int error = 0;
  bool lasts = false;
};

const Order& order();

/// For a process that gets its environment after it has begun.
void read_order_again();

}  // namespace moblo::faults
