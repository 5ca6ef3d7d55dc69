#include "platform/thread_census.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace rtecho::platform {

namespace {

namespace fs = std::filesystem;

// Processes come and go while we look: what cannot be read any more is not there.
int threads_named_of(const fs::path& process, const std::string& name) {
  int count = 0;
  std::error_code gone;
  for (fs::directory_iterator task(process / "task", gone), end; !gone && task != end; task.increment(gone)) {
    std::ifstream file(task->path() / "comm");
    std::string comm;
    if (std::getline(file, comm) && comm == name) {
      ++count;
    }
  }
  return count;
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

int threads_named(const char* name) {
  int count = 0;
  std::error_code gone;
  for (fs::directory_iterator process("/proc", gone), end; !gone && process != end; process.increment(gone)) {
    if (is_number(process->path().filename().string())) {
      count += threads_named_of(process->path(), name);
    }
  }
  return count;
}

int online_cpu_count() noexcept {
  return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

}  // namespace rtecho::platform
