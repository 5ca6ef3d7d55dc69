#include "rtecho_host/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/process/args.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/io.hpp>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "platform/os_error.hpp"
#include "rt_core/assert.hpp"
#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

constexpr std::size_t last_words_lines = 5;

// A file in memory takes whatever the child writes: a pipe would need somebody who reads it all the time, which
// costs wake-ups on the cores that are being measured.
platform::Descriptor open_capture(const char* name) {
  platform::Descriptor capture(::memfd_create(name, MFD_CLOEXEC));
  if (!capture.is_open()) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("keep the output of a child: {}", platform::os_error_text(errno)));
  }
  return capture;
}

std::string read_all(const platform::Descriptor& file) {
  std::string text;
  std::array<char, 4096> block;
  // pread, because the child shares the offset. The file only grows, so the end is reached.
  for (;;) {
    const ssize_t got = ::pread(file.number(), block.data(), block.size(), static_cast<off_t>(text.size()));
    if (got <= 0) {
      return text;
    }
    text.append(block.data(), static_cast<std::size_t>(got));
  }
}

// Runs in the child between fork and exec: only calls that are safe there (signal-safety(7)).
void prepare_child(const Command& command, int output, int errors, pid_t parent) {
  ::setpgid(0, 0);  // a Ctrl-C at the terminal reaches us alone, and we decide in which order children stop
  if (command.dies_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) {  // it died before the line above
      ::_exit(EXIT_FAILURE);
    }
  }
  ::signal(SIGPIPE, SIG_DFL);  // we ignore it, and what is ignored stays so across exec
  if (output >= 0) {
    ::dup2(output, STDOUT_FILENO);
    ::dup2(errors, STDERR_FILENO);
  }
  if (command.passed_descriptor >= 0) {
    ::fcntl(command.passed_descriptor, F_SETFD, 0);
  }
}

boost::process::child launch(const Command& command, int output, int errors) {
  namespace process = boost::process;
  std::error_code error;
  process::child child(
      process::exe = command.program, process::args = command.arguments, process::std_in < process::null,
      process::extend::on_exec_setup = [&command, output, errors,
                                        parent = ::getpid()](auto&) { prepare_child(command, output, errors, parent); },
      error);
  if (error) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("start {}: {}; is it installed?", command.program, error.message()));
  }
  return child;
}

}  // namespace

ChildProcess::ChildProcess(const Command& command)
    : output_(command.output_is_ours ? platform::Descriptor() : open_capture("stdout")),
      errors_(command.output_is_ours ? platform::Descriptor() : open_capture("stderr")),
      child_(launch(command, output_.number(), errors_.number())),
      // The C library's wrapper is younger than the systems that we build on.
      process_(static_cast<int>(::syscall(SYS_pidfd_open, child_.id(), 0))) {
  if (!process_.is_open()) {
    const int os_code = errno;
    ::kill(-child_.id(), SIGKILL);
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("watch {}: pidfd_open: {}; Linux 5.3 or later is needed", command.program,
                                     platform::os_error_text(os_code)));
  }
}

ChildProcess::~ChildProcess() {
  if (!exit_code_) {
    reap();
  }
}

void ChildProcess::reap() {
  // Before the wait: until then nobody else can get the number of this group. Members that the child left behind go
  // with it; ESRCH, when there are none, is as good.
  ::kill(-child_.id(), SIGKILL);
  std::error_code error;
  child_.wait(error);
  const int status = child_.native_exit_code();
  exit_code_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool ChildProcess::has_ended(std::chrono::milliseconds patience, int wake_descriptor) {
  if (exit_code_) {
    return true;
  }
  // poll ignores negative descriptors.
  std::array<pollfd, 2> watched{pollfd{process_.number(), POLLIN, 0}, pollfd{wake_descriptor, POLLIN, 0}};
  if (::poll(watched.data(), watched.size(), static_cast<int>(patience.count())) <= 0 || watched[0].revents == 0) {
    return false;
  }
  reap();
  return true;
}

bool ChildProcess::stop(int signal_number, std::chrono::milliseconds patience) {
  using Clock = std::chrono::steady_clock;
  if (exit_code_) {
    return true;
  }
  ::kill(child_.id(), signal_number);
  const auto deadline = Clock::now() + patience;
  for (auto now = Clock::now(); now < deadline; now = Clock::now()) {
    if (has_ended(std::chrono::ceil<std::chrono::milliseconds>(deadline - now))) {
      return true;
    }
  }
  reap();
  return false;
}

int ChildProcess::exit_code() const {
  RTECHO_ASSERT(exit_code_.has_value());
  return *exit_code_;
}

std::string ChildProcess::output() const {
  return output_.is_open() ? read_all(output_) : std::string();
}

std::vector<std::string> ChildProcess::last_words() const {
  std::vector<std::string> lines;
  if (!errors_.is_open()) {
    return lines;
  }
  std::istringstream text(read_all(errors_));
  for (std::string line; std::getline(text, line);) {
    if (lines.size() == last_words_lines) {
      lines.erase(lines.begin());
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace rtecho::host
