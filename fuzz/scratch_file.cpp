#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>

#include "fuzz/target.hpp"

namespace moblo::fuzz {
namespace {

/// tools/fuzz names a folder that it removes: libFuzzer ends without destructors where it found something.
struct Scratch {
  Scratch() {
    const char* given = std::getenv("MOBLO_FUZZ_SCRATCH");
    std::string name = std::string(given ? given : "/dev/shm") + "/moblo-fuzz-XXXXXX";
    if (!given && ::access("/dev/shm", W_OK) != 0) name = "/tmp/moblo-fuzz-XXXXXX";
    must(mkdtemp(name.data()) != nullptr, "a folder for scratch files can be made");
    folder = name;
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  std::filesystem::path folder;
};

}  // namespace

const std::filesystem::path& scratch_folder() {
  static const Scratch scratch;
  return scratch.folder;
}

ScratchFile::ScratchFile(const std::string& name) : path_(scratch_folder() / name) {
  std::filesystem::create_directories(path_.parent_path());
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  must(descriptor_ >= 0, "a scratch file can be made");
}

ScratchFile::~ScratchFile() {
  ::close(descriptor_);
}

const std::filesystem::path& ScratchFile::write(std::string_view content) {
  must(::ftruncate(descriptor_, static_cast<off_t>(content.size())) == 0 &&
           ::pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()),
       "a scratch file can be written");
  return path_;
}

}  // namespace moblo::fuzz
