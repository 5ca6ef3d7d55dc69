// Runs a piece of a test in a child process, where it may give up privileges or end badly, and brings back what it
// had to say.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace rtecho::platform {

struct ChildOutcome {
  std::string text;
  bool exited_cleanly = false;
  int signal = 0;
};

// `act` returns the text. The child leaves by _exit, so no test of the parent goes on in it.
template <typename Act>
ChildOutcome run_in_child(Act act) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) {
    return {};
  }
  const pid_t child = fork();
  if (child == 0) {
    const std::string text = act();
    const ssize_t written = write(ends[1], text.data(), text.size());
    _exit(written == static_cast<ssize_t>(text.size()) ? 0 : 1);
  }
  close(ends[1]);
  ChildOutcome outcome;
  std::array<char, 512> piece{};
  for (ssize_t got = read(ends[0], piece.data(), piece.size()); got > 0;
       got = read(ends[0], piece.data(), piece.size())) {
    outcome.text.append(piece.data(), static_cast<std::size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  outcome.exited_cleanly = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return outcome;
}

}  // namespace rtecho::platform
