// `rtecho-host link up|down|status`.
#pragma once

#include <CLI/CLI.hpp>

namespace rtecho::host {

// Adds the subcommand; its callback sets the exit code: 0, of `status` 1 when the link is down and 4 when it is half
// made. Where the machine refuses it throws ProgramFailure.
void add_link_command(CLI::App& app, int& exit_code);

}  // namespace rtecho::host
