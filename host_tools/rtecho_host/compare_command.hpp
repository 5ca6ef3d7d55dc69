// rtecho-host compare: run files of two groups side by side.
#pragma once

#include <CLI/CLI.hpp>

namespace rtecho::host {

// `exit_code` is set when the command has run; both arguments outlive the parsing of the options.
void add_compare_command(CLI::App& app, int& exit_code);

}  // namespace rtecho::host
