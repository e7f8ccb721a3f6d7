#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace moblo::system_test {

/// Whatever is slower than this hangs, even on a loaded machine with sanitizers.
constexpr std::chrono::seconds patience{300};
constexpr std::chrono::microseconds poll_interval{300};

/// Polls until `holds()`; false where the patience ended first.
template <class Condition>
bool wait_until(const Condition& holds, std::chrono::steady_clock::duration limit = patience) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(poll_interval);
  }
  return true;
}

struct Invocation {
  std::vector<std::string> arguments{};
  std::filesystem::path folder{};                                   ///< where it is started
  std::map<std::string, std::optional<std::string>> environment{};  ///< changes; empty ones are removed
  std::optional<rlim_t> largest_file{};                             ///< a disk that is full, without one
  std::optional<rlim_t> most_files{};                               ///< open at a time
  std::filesystem::path program = MOBLO_PROGRAM;
};

struct Result {
  int exit_code = -1;
  int signal = 0;  ///< that ended it, 0 for none
  std::string out, err;
};

/// Collects an output stream in memory, so that no reader is needed while the child runs.
class Capture {
 public:
  Capture() : descriptor_(memfd_create("capture", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("memfd_create failed");
  }
  ~Capture() { close(descriptor_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  int descriptor() const { return descriptor_; }

  std::string text() const {
    std::string all;
    char block[4096];
    for (ssize_t size; (size = pread(descriptor_, block, sizeof block, static_cast<off_t>(all.size()))) > 0;) {
      all.append(block, static_cast<std::size_t>(size));
    }
    return all;
  }

 private:
  int descriptor_;
};

/// The program, running. Killed where a test leaves it behind.
class Child {
 public:
  explicit Child(const Invocation& invocation) {
    std::vector<char*> argv{const_cast<char*>(invocation.program.c_str())};
    for (const auto& argument : invocation.arguments) argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("fork failed");
    if (process_ == 0) become(invocation, argv.data());
  }
  ~Child() {
    if (ended()) return;
    send(SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  pid_t id() const { return process_; }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  void send(int signal) const { kill(process_, signal); }
  /// What it has printed so far.
  std::string out() const { return out_.text(); }

  bool ended() {
    if (!status_) {
      int status = 0;
      if (waitpid(process_, &status, WNOHANG) == process_) status_ = status;
    }
    return status_.has_value();
  }

  Result wait() {
    if (!wait_until([this] { return ended(); })) {
      ADD_FAILURE() << "the program hangs";
      send(SIGKILL);
      wait_until([this] { return ended(); });
    }
    Result result{.out = out_.text(), .err = err_.text()};
    if (WIFEXITED(*status_)) result.exit_code = WEXITSTATUS(*status_);
    if (WIFSIGNALED(*status_)) result.signal = WTERMSIG(*status_);
    return result;
  }

 private:
  [[noreturn]] void become(const Invocation& invocation, char** argv) {
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(out_.descriptor(), STDOUT_FILENO);
    dup2(err_.descriptor(), STDERR_FILENO);
    if (!invocation.folder.empty() && chdir(invocation.folder.c_str()) != 0) _exit(127);
    for (const auto& [name, value] : invocation.environment) {
      value ? setenv(name.c_str(), value->c_str(), 1) : unsetenv(name.c_str());
    }
    if (invocation.largest_file) {
      const rlimit limit{*invocation.largest_file, *invocation.largest_file};
      setrlimit(RLIMIT_FSIZE, &limit);
      signal(SIGXFSZ, SIG_IGN);  // the write fails then, as it does on a full disk
    }
    if (invocation.most_files) {
      const rlimit limit{*invocation.most_files, *invocation.most_files};
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    execvp(argv[0], argv);
    _exit(127);
  }

  Capture out_, err_;
  pid_t process_ = -1;
  std::optional<int> status_;
};

inline Result run_program(const Invocation& invocation) {
  return Child(invocation).wait();
}

}  // namespace moblo::system_test
