// The owner of one child process: ip, a measuring program, the load. It refuses to leave anything behind: the child
// leads a process group of its own, dies with us, and whatever remains of its group is killed when it ends or when
// its owner goes.
#pragma once

#include <boost/process/child.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "platform/descriptor.hpp"

namespace rtecho::host {

struct Command {
  std::string program;  // a path: no search, no shell
  std::vector<std::string> arguments;
  int passed_descriptor = -1;    // stays open in the child under the same number
  bool output_is_ours = false;   // writes to our stdout and stderr; else both are kept, see below
  bool dies_with_parent = true;  // also when we are killed with SIGKILL
};

class ChildProcess {
 public:
  // Throws ProgramFailure (machine_refused) when the program cannot be started. Returns after its exec.
  explicit ChildProcess(const Command& command);
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  // Waits until it ends, for at most `patience`; earlier when a signal arrives or `wake_descriptor` is readable.
  // True once it has ended.
  bool has_ended(std::chrono::milliseconds patience, int wake_descriptor = -1);

  // Asks its leader to stop, waits at most `patience`, then kills the group. Afterwards it has ended. False where
  // it had to be killed.
  bool stop(int signal_number, std::chrono::milliseconds patience);

  // Of a child that has ended: its exit code, or 128 + the number of the signal that killed it.
  [[nodiscard]] int exit_code() const;

  // What it has written so far; empty where the output is ours.
  [[nodiscard]] std::string output() const;
  // The last lines, at most five, that it wrote to stderr.
  [[nodiscard]] std::vector<std::string> last_words() const;

 private:
  void reap();

  platform::Descriptor output_;
  platform::Descriptor errors_;
  boost::process::child child_;
  platform::Descriptor process_;
  std::optional<int> exit_code_;
};

}  // namespace rtecho::host
