// What several exit codes make together, and what those of the measuring programs mean to a campaign.
#pragma once

#include "report/exit_code.hpp"
#include "report/program_failure.hpp"

namespace rtecho::host {

using report::ExitCode;
using report::ProgramFailure;

// Where several apply, the one that the user must deal with first.
[[nodiscard]] ExitCode graver(ExitCode first, ExitCode second) noexcept;

// A code outside the table, a death by signal among them, is a program lost in mid-run.
[[nodiscard]] ExitCode exit_code_of_child(int code) noexcept;

}  // namespace rtecho::host
