// A process that has loaded the engine's libraries and forks, instead of one that loads them for every start, which
// takes most of the time of a short run. All that a start decides (arguments, environment, folder, standard streams)
// reaches the fork before main() begins.
//   MOBLO_FAULT_SERVE   a socket: an engine that is started with it becomes the server, until its standard input ends
//   MOBLO_FAULT_SERVER  the same socket: whoever would execv the engine asks there instead, and ends as the fork ends
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/faults/order.hpp"

namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

constexpr std::size_t most_bytes = 1 << 17;  // of a start: its folder, its arguments, its environment
constexpr int streams = 3;

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  _exit(99);
}

sockaddr_un address_of(const char* path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}

/// One message: bytes and the three standard streams.
struct Start {
  char bytes[most_bytes];
  std::size_t size = 0;
  int files[streams] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};

  bool add(const char* text) {
    const std::size_t length = std::strlen(text) + 1;
    if (size + length > most_bytes) return false;
    std::memcpy(bytes + size, text, length);
    size += length;
    return true;
  }

  template <class Pass>
  bool pass(Pass system_call) {
    alignas(cmsghdr) char room[CMSG_SPACE(sizeof files)] = {};
    iovec part{bytes, size};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = room;
    message.msg_controllen = sizeof room;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof files);
    std::memcpy(CMSG_DATA(header), files, sizeof files);
    const auto count = system_call(message);
    if (count <= 0) return false;
    size = static_cast<std::size_t>(count);
    std::memcpy(files, CMSG_DATA(header), sizeof files);
    return true;
  }
};

/// Static: between fork and execv nothing may allocate. Two, for the arguments and the environment of a fork stay in
/// the one that it was started with.
Start asked, received;

/// Ends as the engine's fork ended.
[[noreturn]] void end_like(int status) {
  if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
  signal(WTERMSIG(status), SIG_DFL);
  kill(getpid(), WTERMSIG(status));
  _exit(128 + WTERMSIG(status));
}

[[noreturn]] void be_served(const char* socket_path, char* const* arguments) {
  char folder[PATH_MAX], count[16];
  int arguments_count = 0;
  while (arguments[arguments_count]) ++arguments_count;
  std::snprintf(count, sizeof count, "%d", arguments_count);
  if (!getcwd(folder, sizeof folder)) give_up("the folder of a start");
  bool fits = asked.add(folder) && asked.add(count);
  for (int i = 0; i < arguments_count; ++i) fits = fits && asked.add(arguments[i]);
  for (char** entry = environ; *entry; ++entry) fits = fits && asked.add(*entry);
  if (!fits) give_up("a start that is too long for the server");
  const int server = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  const auto address = address_of(socket_path);
  if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up("the engine's server");
  if (!asked.pass([&](const msghdr& message) { return sendmsg(server, &message, MSG_NOSIGNAL); })) give_up("sendmsg");
  int status = 0;
  while (true) {
    const auto got = read(server, &status, sizeof status);
    if (got == sizeof status) end_like(status);
    if (got == 0 || errno != EINTR) give_up("the engine's server has gone");
  }
}

/// The end of a fork is seen at `ended`, the end of who asked for it at `client`.
struct Fork {
  pid_t process;
  int ended, client;
};

class Server {
 public:
  explicit Server(const char* path) {
    const auto address = address_of(path);
    listener_ = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        listen(listener_, 64) != 0) {
      give_up("the socket of the engine's server");
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);  // what a fork leaves behind is a child of the server, and found there
  }

  /// Returns in a fork, which goes on as the engine; the server itself never does.
  std::vector<char*> serve() {
    while (true) {
      wait();
      if (input_ended_) _exit(0);  // the forks die with it
      for (std::size_t i = forks_.size(); i-- > 0;) look_after(i);
      if (asked_) {
        if (auto entries = answer(); !entries.empty()) return entries;
      }
    }
  }

 private:
  void wait() {
    watched_.assign({{STDIN_FILENO, POLLIN, 0}, {listener_, POLLIN, 0}});
    for (const auto& one : forks_) {
      watched_.push_back({one.ended, POLLIN, 0});
      watched_.push_back({one.client, POLLIN, 0});
    }
    while (poll(watched_.data(), watched_.size(), -1) < 0) {
    }
    input_ended_ = watched_[0].revents != 0;
    asked_ = watched_[1].revents != 0;
  }

  void look_after(std::size_t i) {
    const Fork one = forks_[i];
    if (watched_[2 * i + 3].revents != 0) kill(one.process, SIGKILL);  // who asked is gone, as a killed process is
    if (watched_[2 * i + 2].revents == 0) return;
    int status = 0;
    waitpid(one.process, &status, 0);
    send(one.client, &status, sizeof status, MSG_NOSIGNAL);
    close(one.client);
    close(one.ended);
    forks_.erase(forks_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  std::vector<char*> answer() {
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    received.size = most_bytes;
    if (!received.pass([&](msghdr& message) { return recvmsg(client, &message, MSG_CMSG_CLOEXEC); })) {
      close(client);
      return {};
    }
    const pid_t process = fork();
    if (process == 0) return begin(client);
    for (const int file : received.files) close(file);
    forks_.push_back({process, static_cast<int>(syscall(SYS_pidfd_open, process, 0)), client});
    return {};
  }

  /// In the fork: the arguments, null, the environment, null, as the kernel lays them out.
  std::vector<char*> begin(int client) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    setsid();
    for (int i = 0; i < streams; ++i) dup2(received.files[i], i);
    for (const int file : received.files) close(file);
    for (const auto& one : forks_) {
      close(one.ended);
      close(one.client);
    }
    close(listener_);
    close(client);
    std::vector<char*> texts;
    for (char* at = received.bytes; at < received.bytes + received.size; at += std::strlen(at) + 1) texts.push_back(at);
    if (texts.size() < 2 || chdir(texts[0]) != 0) give_up("the folder of a start");
    std::vector<char*> entries(texts.begin() + 2, texts.end());
    entries.insert(entries.begin() + std::atoi(texts[1]), nullptr);
    entries.push_back(nullptr);
    return entries;
  }

  int listener_;
  bool input_ended_ = false, asked_ = false;
  std::vector<Fork> forks_;
  std::vector<pollfd> watched_;
};

bool names_engine(std::string_view path) {
  return path.substr(path.rfind('/') + 1) == "moblo-engine";
}

bool is_engine() {
  char path[PATH_MAX];
  const auto size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 && names_engine({path, static_cast<std::size_t>(size)});
}

}  // namespace

extern "C" {

int execv(const char* path, char* const arguments[]) {
  const char* server = std::getenv("MOBLO_FAULT_SERVER");
  if (server && names_engine(path)) be_served(server, arguments);
  static const auto real = reinterpret_cast<int (*)(const char*, char* const*)>(dlsym(RTLD_NEXT, "execv"));
  return real(path, arguments);
}

/// The libraries are loaded, main() has not begun.
int __libc_start_main(Main main, int count, char** entries, void (*init)(), void (*fini)(), void (*loader_fini)(),
                      void* stack_end) {
  static const auto real = reinterpret_cast<StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
  const char* path = std::getenv("MOBLO_FAULT_SERVE");
  if (!path || !is_engine()) return real(main, count, entries, init, fini, loader_fini, stack_end);
  static std::vector<char*> given = Server(path).serve();
  count = 0;
  while (given[static_cast<std::size_t>(count)]) ++count;
  environ = given.data() + count + 1;
  moblo::faults::read_order_again();
  return real(main, count, given.data(), init, fini, loader_fini, stack_end);
}

}  // extern "C"
