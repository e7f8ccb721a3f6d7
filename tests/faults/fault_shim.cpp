// LD_PRELOAD: the N-th system call of a kind that touches a file below MOBLO_FAULT_ROOT fails. tools/fault_campaign
// sets the environment:
//   MOBLO_FAULT_ROOT    the folder whose files count (forks count wherever they happen)
//   MOBLO_FAULT_COUNTS  a file of sizeof(Counts) zeros, shared by all processes of the program: calls per kind
//   MOBLO_FAULT_KIND    one of kind_names; empty: calls are only counted
//   MOBLO_FAULT_AT      which call of that kind fails, from 1
//   MOBLO_FAULT_ERROR   errno that it fails with; 0: it writes one byte only, and says so
//   MOBLO_FAULT_LASTS   1: every later call of the kind fails too, as on a disk that stays full
// engine_server.cpp belongs to it, and has two more.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "tests/faults/order.hpp"

namespace {

using namespace moblo::faults;

template <class Function>
Function next_in_line(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool below_root(std::string_view path) {
  const auto root = order().root;
  return !root.empty() && path.starts_with(root);
}

/// "Root" is absolute; what the program names may be relative to where it stands.
bool path_counts(const char* path) {
  if (!path) return false;
  if (*path == '/') return below_root(path);
  char here[PATH_MAX];
  return getcwd(here, sizeof here) && below_root(here);
}

/// Empty where the descriptor is no file below the root.
struct NamedDescriptor {
  char name[PATH_MAX] = {};
  explicit NamedDescriptor(int descriptor) {
    char link[64];
    std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const auto size = readlink(link, name, sizeof name - 1);
    name[size < 0 ? 0 : size] = '\0';
  }
  bool counts() const { return below_root(name); }
};

/// Counts the call; true where it has to fail.
bool strikes(Kind kind, const char* call, const char* path) {
  const Order& given = order();
  if (!given.counts) return false;
  const auto number = ++given.counts->calls[kind];
  if (given.kind != kind || (given.lasts ? number < given.at : number != given.at)) return false;
  if (given.counts->failed++ == 0) {
    std::snprintf(given.counts->first_victim, sizeof given.counts->first_victim, "%s %s", call, path ? path : "");
  }
  return true;
}

template <class Result>
Result failed(Result result) {
  errno = order().error;
  return result;
}

Kind kind_of_open(int flags) {
  return (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0 ? k_open : k_read_open;
}

mode_t mode_behind(int flags, va_list& more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

}  // namespace

// The signatures are those of the C library.
extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static const auto real = next_in_line<ssize_t (*)(int, const void*, size_t)>("write");
  const NamedDescriptor file(descriptor);
  if (!file.counts() || !strikes(k_write, "write", file.name)) return real(descriptor, bytes, size);
  if (order().error == 0) return real(descriptor, bytes, size < 1 ? size : 1);
  return failed<ssize_t>(-1);
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t at) {
  static const auto real = next_in_line<ssize_t (*)(int, const void*, size_t, off_t)>("pwrite");
  const NamedDescriptor file(descriptor);
  if (!file.counts() || !strikes(k_write, "pwrite", file.name)) return real(descriptor, bytes, size, at);
  if (order().error == 0) return real(descriptor, bytes, size < 1 ? size : 1, at);
  return failed<ssize_t>(-1);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
  static const auto real = next_in_line<ssize_t (*)(int, const iovec*, int)>("writev");
  const NamedDescriptor file(descriptor);
  if (!file.counts() || !strikes(k_write, "writev", file.name)) return real(descriptor, parts, count);
  if (order().error != 0) return failed<ssize_t>(-1);
  for (int i = 0; i < count; ++i) {
    const iovec one{parts[i].iov_base, 1};
    if (parts[i].iov_len > 0) return real(descriptor, &one, 1);
  }
  return 0;
}

int fsync(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("fsync");
  const NamedDescriptor file(descriptor);
  return file.counts() && strikes(k_sync, "fsync", file.name) ? failed(-1) : real(descriptor);
}

int fdatasync(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("fdatasync");
  const NamedDescriptor file(descriptor);
  return file.counts() && strikes(k_sync, "fdatasync", file.name) ? failed(-1) : real(descriptor);
}

int rename(const char* from, const char* to) {
  static const auto real = next_in_line<int (*)(const char*, const char*)>("rename");
  return path_counts(to) && strikes(k_rename, "rename", to) ? failed(-1) : real(from, to);
}

int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  static const auto real = next_in_line<int (*)(int, const char*, int, const char*)>("renameat");
  return path_counts(to) && strikes(k_rename, "renameat", to) ? failed(-1) : real(from_folder, from, to_folder, to);
}

#define MOBLO_OPEN(call)                                                                   \
  int call(const char* path, int flags, ...) {                                             \
    static const auto real = next_in_line<int (*)(const char*, int, ...)>(#call);          \
    va_list more;                                                                          \
    va_start(more, flags);                                                                 \
    const mode_t mode = mode_behind(flags, more);                                          \
    va_end(more);                                                                          \
    if (path_counts(path) && strikes(kind_of_open(flags), #call, path)) return failed(-1); \
    return real(path, flags, mode);                                                        \
  }
MOBLO_OPEN(open)
MOBLO_OPEN(open64)

#define MOBLO_OPENAT(call)                                                                 \
  int call(int folder, const char* path, int flags, ...) {                                 \
    static const auto real = next_in_line<int (*)(int, const char*, int, ...)>(#call);     \
    va_list more;                                                                          \
    va_start(more, flags);                                                                 \
    const mode_t mode = mode_behind(flags, more);                                          \
    va_end(more);                                                                          \
    if (path_counts(path) && strikes(kind_of_open(flags), #call, path)) return failed(-1); \
    return real(folder, path, flags, mode);                                                \
  }
MOBLO_OPENAT(openat)
MOBLO_OPENAT(openat64)

/// std::ofstream opens through these, and writes through write and writev.
#define MOBLO_FOPEN(call)                                                               \
  FILE* call(const char* path, const char* mode) {                                      \
    static const auto real = next_in_line<FILE* (*)(const char*, const char*)>(#call);  \
    const Kind kind = std::strpbrk(mode, "wa+") ? k_open : k_read_open;                 \
    if (path_counts(path) && strikes(kind, #call, path)) return failed<FILE*>(nullptr); \
    return real(path, mode);                                                            \
  }
MOBLO_FOPEN(fopen)
MOBLO_FOPEN(fopen64)

#define MOBLO_TRUNCATE(call)                                                                      \
  int call(const char* path, off_t size) {                                                        \
    static const auto real = next_in_line<int (*)(const char*, off_t)>(#call);                    \
    return path_counts(path) && strikes(k_truncate, #call, path) ? failed(-1) : real(path, size); \
  }
MOBLO_TRUNCATE(truncate)
MOBLO_TRUNCATE(truncate64)

#define MOBLO_FTRUNCATE(call)                                                                            \
  int call(int descriptor, off_t size) {                                                                 \
    static const auto real = next_in_line<int (*)(int, off_t)>(#call);                                   \
    const NamedDescriptor file(descriptor);                                                              \
    return file.counts() && strikes(k_truncate, #call, file.name) ? failed(-1) : real(descriptor, size); \
  }
MOBLO_FTRUNCATE(ftruncate)
MOBLO_FTRUNCATE(ftruncate64)

int unlink(const char* path) {
  static const auto real = next_in_line<int (*)(const char*)>("unlink");
  return path_counts(path) && strikes(k_unlink, "unlink", path) ? failed(-1) : real(path);
}

int remove(const char* path) {
  static const auto real = next_in_line<int (*)(const char*)>("remove");
  return path_counts(path) && strikes(k_unlink, "remove", path) ? failed(-1) : real(path);
}

/// The name is relative to a folder that is open: the descriptor tells where it is.
int unlinkat(int folder, const char* path, int flags) {
  static const auto real = next_in_line<int (*)(int, const char*, int)>("unlinkat");
  const bool counts = *path == '/' || folder == AT_FDCWD ? path_counts(path) : NamedDescriptor(folder).counts();
  return counts && strikes(k_unlink, "unlinkat", path) ? failed(-1) : real(folder, path, flags);
}

int mkdir(const char* path, mode_t mode) {
  static const auto real = next_in_line<int (*)(const char*, mode_t)>("mkdir");
  return path_counts(path) && strikes(k_mkdir, "mkdir", path) ? failed(-1) : real(path, mode);
}

pid_t fork() {
  static const auto real = next_in_line<pid_t (*)()>("fork");
  return strikes(k_fork, "fork", "") ? failed<pid_t>(-1) : real();
}

/// The descriptor is closed all the same, as Linux does.
int close(int descriptor) {
  static const auto real = next_in_line<int (*)(int)>("close");
  const NamedDescriptor file(descriptor);
  if (!file.counts() || !strikes(k_close, "close", file.name)) return real(descriptor);
  real(descriptor);
  return failed(-1);
}

}  // extern "C"
