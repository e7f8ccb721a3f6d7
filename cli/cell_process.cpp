#include "cli/cell_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "moblo/base/error.hpp"
#include "moblo/records/json_fields.hpp"

namespace moblo::cli {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::io, "a process for a cell", fmt::format("{}: {}", what, std::strerror(errno)),
              "Free memory or processes, or give a smaller --jobs");
}

/// A file without a name, for what is too long for a pipe that nobody reads yet.
int unnamed_file(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) refuse("has no memory");
  return file;
}

int file_of(const std::string& text) {
  const int file = unnamed_file("plan");
  for (std::size_t done = 0; done < text.size();) {
    const auto count = write(file, text.data() + done, text.size() - done);
    if (count < 0) refuse("has no memory");
    done += static_cast<std::size_t>(count);
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

/// Between fork and exec: nothing but system calls. A group of its own keeps a Ctrl-C of the terminal away; the parent
/// passes it on, once.
[[noreturn]] void become(const char* program, char* const* arguments, int in, int out, int errors, pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execv(program, arguments);
  _exit(127);
}

}  // namespace

CellProcess::CellProcess(const std::filesystem::path& engine, const lab::experiments::RunPlan& plan,
                         const std::string& title, const std::filesystem::path& folder) {
  const int in = file_of(records::dump_json({{"name", plan.name}, {"title", title}, {"config", plan.config()}}));
  errors_ = unnamed_file("errors");
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) refuse("has no pipe");
  std::string program = engine.string(), verb = "cell", place = folder.string();
  char* const arguments[] = {program.data(), verb.data(), place.data(), nullptr};
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) become(program.c_str(), arguments, in, ends[1], errors_, parent);
  close(in);
  close(ends[1]);
  progress_ = ends[0];
  fcntl(progress_, F_SETFL, O_NONBLOCK);
  if (process_ < 0) refuse("cannot be started");
}

CellProcess::~CellProcess() {
  if (process_ > 0) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  close(progress_);
  close(errors_);
}

void CellProcess::take_line(const std::string& line) {
  if (line == "ended") {
    has_summary_ = true;
    return;
  }
  long long k = 0, iterations = 0;
  if (std::sscanf(line.c_str(), "%lld %lld", &k, &iterations) != 2) return;
  if (!started_at_) started_at_ = first_k_ = k;
  k_ = k;
  iterations_ = iterations;
}

bool CellProcess::read_progress() {
  char buffer[4096];
  while (true) {
    const auto count = read(progress_, buffer, sizeof buffer);
    if (count < 0) return true;  // nothing yet
    if (count == 0) break;
    rest_.append(buffer, static_cast<std::size_t>(count));
    for (auto end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n')) {
      take_line(rest_.substr(0, end));
      rest_.erase(0, end + 1);
    }
  }
  while (waitpid(process_, &status_, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return false;
}

void CellProcess::interrupt() {
  if (process_ > 0) kill(process_, SIGTERM);
}

int CellProcess::exit_code() const {
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1;
}

std::string CellProcess::complaint() const {
  std::string text;
  char buffer[4096];
  for (off_t at = 0;;) {
    const auto count = pread(errors_, buffer, sizeof buffer, at);
    if (count <= 0) break;
    text.append(buffer, static_cast<std::size_t>(count));
    at += count;
  }
  while (text.ends_with('\n')) text.pop_back();
  if (WIFSIGNALED(status_)) {
    text += fmt::format("{}its process was ended by signal {} ({}); the same command goes on from its last checkpoint",
                        text.empty() ? "" : "\n", WTERMSIG(status_), strsignal(WTERMSIG(status_)));
  }
  return text;
}

}  // namespace moblo::cli
