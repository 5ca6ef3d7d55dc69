// rtecho-host check: run files judged against a bounds file.
#pragma once

#include <CLI/CLI.hpp>

namespace rtecho::host {

// `exit_code` is set when the command has run; both arguments outlive the parsing of the options.
void add_check_command(CLI::App& app, int& exit_code);

}  // namespace rtecho::host
