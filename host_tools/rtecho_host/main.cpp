// rtecho-host: makes the local link, runs campaigns, compares and checks run files. Results go to stdout, talk to
// stderr; the exit code follows the one table (report/exit_code.hpp).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "campaign_command.hpp"
#include "check_command.hpp"
#include "compare_command.hpp"
#include "link_command.hpp"
#include "report/exit_code.hpp"
#include "report/program_failure.hpp"

namespace {

using rtecho::report::ExitCode;

int run(int argc, char** argv) {
  int exit_code = static_cast<int>(ExitCode::clean);
  CLI::App app{"Links, campaigns and judgements around the rtecho pair", "rtecho-host"};
  app.set_version_flag("--version", "rtecho-host " RTECHO_VERSION);
  app.require_subcommand(1);
  rtecho::host::add_link_command(app, exit_code);
  rtecho::host::add_campaign_command(app, exit_code);
  rtecho::host::add_compare_command(app, exit_code);
  rtecho::host::add_check_command(app, exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "rtecho-host: {} (see rtecho-host --help)\n", error.what());
    return static_cast<int>(ExitCode::usage);
  } catch (const rtecho::report::ProgramFailure& failure) {
    fmt::print(stderr, "rtecho-host: {}\n", failure.what());
    return static_cast<int>(failure.exit_code());
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int exit_code = run(argc, argv);
    // A result that was not written is no result: a full disk, a closed pipe.
    if (std::fflush(stdout) != 0) {
      fmt::print(stderr, "rtecho-host: write to standard output: the system refused\n");
      return static_cast<int>(ExitCode::machine_refused);
    }
    return exit_code;
  } catch (const std::exception& error) {
    // Memory, or a system call of a library; destructors have undone what was set up.
    fmt::print(stderr, "rtecho-host: {}\n", error.what());
    return static_cast<int>(ExitCode::machine_refused);
  }
}
