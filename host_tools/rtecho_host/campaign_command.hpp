// `rtecho-host campaign FILE.toml`.
#pragma once

#include <CLI/CLI.hpp>

namespace rtecho::host {

// Adds the subcommand; its callback sets the exit code, or throws ProgramFailure.
void add_campaign_command(CLI::App& app, int& exit_code);

}  // namespace rtecho::host
