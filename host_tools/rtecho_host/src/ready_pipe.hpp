// The pipe on which a server says that it listens (--ready-fd).
#pragma once

#include <chrono>
#include <string>

#include "platform/descriptor.hpp"

namespace rtecho::host {

class ReadyPipe {
 public:
  enum class State {
    open,    // nothing whole has come yet
    line,    // text() begins with a line, or is longer than any line may be
    closed,  // the server closed its end, or ended, without a line
  };

  // Throws ProgramFailure (machine_refused).
  ReadyPipe();

  [[nodiscard]] int server_end() const noexcept { return write_end_.number(); }
  // To be called once the server has its copy: while ours is open, the pipe never ends.
  void close_server_end() noexcept { write_end_.close(); }

  // Waits for the next piece, for at most `patience`; earlier when a signal arrives or `wake_descriptor` is readable.
  State wait(std::chrono::milliseconds patience, int wake_descriptor);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

 private:
  platform::Descriptor read_end_;
  platform::Descriptor write_end_;
  std::string text_;
};

}  // namespace rtecho::host
