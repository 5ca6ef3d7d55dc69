#include "guardian.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <thread>

#include "platform/os_error.hpp"
#include "rtecho_host/exit_codes.hpp"
#include "rtecho_host/link.hpp"

namespace rtecho::host {
namespace {

// The owner's children die with it, but not in the same instant, and an `ip` in flight finishes its step.
constexpr std::chrono::milliseconds settling_time{200};

// The byte that sends the guardian away; the end of the pipe without it means that the owner died.
constexpr char farewell = 'f';

bool owner_said_farewell(int lifeline) {
  char byte = 0;
  ssize_t got = 0;
  do {
    got = ::read(lifeline, &byte, 1);
  } while (got < 0 && errno == EINTR);
  return got == 1 && byte == farewell;
}

[[noreturn]] void guard(const platform::Descriptor& lifeline, const LinkOptions& options) {
  ::setsid();  // signals to the owner's group and its terminal are not for us
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) {
    ::signal(signal_number, SIG_IGN);
  }
  // Whoever reads the owner's output must not wait for us. stderr stays, for the sentence below.
  const platform::Descriptor nowhere(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ::dup2(nowhere.number(), STDIN_FILENO);
  ::dup2(nowhere.number(), STDOUT_FILENO);
  if (owner_said_farewell(lifeline.number())) {
    ::_exit(EXIT_SUCCESS);
  }
  try {
    std::this_thread::sleep_for(settling_time);
    take_link_down(options);
    ::_exit(EXIT_SUCCESS);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rtecho-host: the campaign was killed, and its link is still there: {}\n", error.what());
    ::_exit(EXIT_FAILURE);
  }
}

}  // namespace

Guardian::Guardian(const LinkOptions& options) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("start the guardian: {}", platform::os_error_text(errno)));
  }
  const platform::Descriptor guardian_end(ends[0]);
  lifeline_ = platform::Descriptor(ends[1]);
  process_ = ::fork();
  if (process_ == 0) {
    lifeline_.close();
    guard(guardian_end, options);
  }
  if (process_ < 0) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("start the guardian: {}", platform::os_error_text(errno)));
  }
}

Guardian::~Guardian() {
  // Where the write fails the guardian is gone, and there is nobody to send away.
  [[maybe_unused]] const ssize_t written = ::write(lifeline_.number(), &farewell, 1);
  lifeline_.close();
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace rtecho::host
