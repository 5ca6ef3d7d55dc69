// How a program ends that cannot do what was asked: one sentence and one exit code. An exception, because every way
// out must undo what was set up, and destructors do that. Thrown and caught in programs only: it ends in main.
#pragma once

#include <stdexcept>
#include <string>

#include "report/exit_code.hpp"

namespace rtecho::report {

class ProgramFailure : public std::runtime_error {
 public:
  // One line: what was asked, what the system said, what to do. No full stop, no newline at the end.
  ProgramFailure(ExitCode exit_code, const std::string& sentence)
      : std::runtime_error(sentence), exit_code_(exit_code) {}

  [[nodiscard]] ExitCode exit_code() const noexcept { return exit_code_; }

 private:
  ExitCode exit_code_;
};

}  // namespace rtecho::report
