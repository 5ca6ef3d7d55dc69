#include "ready_pipe.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "platform/os_error.hpp"
#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

constexpr std::size_t line_max = 256;

}  // namespace

ReadyPipe::ReadyPipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("open a pipe: {}", platform::os_error_text(errno)));
  }
  read_end_ = platform::Descriptor(ends[0]);
  write_end_ = platform::Descriptor(ends[1]);
}

ReadyPipe::State ReadyPipe::wait(std::chrono::milliseconds patience, int wake_descriptor) {
  std::array<pollfd, 2> watched{pollfd{read_end_.number(), POLLIN, 0}, pollfd{wake_descriptor, POLLIN, 0}};
  if (::poll(watched.data(), watched.size(), static_cast<int>(patience.count())) <= 0 || watched[0].revents == 0) {
    return State::open;
  }
  std::array<char, line_max> block;
  const ssize_t got = ::read(read_end_.number(), block.data(), block.size());
  if (got <= 0) {
    return State::closed;
  }
  text_.append(block.data(), static_cast<std::size_t>(got));
  return text_.find('\n') != std::string::npos || text_.size() > line_max ? State::line : State::open;
}

}  // namespace rtecho::host
