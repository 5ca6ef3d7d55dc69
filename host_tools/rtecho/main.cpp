#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "client.hpp"
#include "options.hpp"
#include "report/program_failure.hpp"
#include "server.hpp"
#include "version.hpp"

namespace {

using rtecho::report::ExitCode;

ExitCode run(const rtecho::pair::Command& command) {
  if (const auto* server = std::get_if<rtecho::pair::ServerOptions>(&command)) {
    return rtecho::pair::run_server(*server);
  }
  if (const auto* client = std::get_if<rtecho::pair::ClientOptions>(&command)) {
    return rtecho::pair::run_client(*client);
  }
  return std::get<ExitCode>(command);
}

}  // namespace

int main(int argument_count, char** arguments) {
  try {
    return static_cast<int>(run(rtecho::pair::parse_command_line(argument_count, arguments)));
  } catch (const rtecho::report::ProgramFailure& failure) {
    fmt::print(stderr, "{}: {}\n", rtecho::pair::program_name(), failure.what());
    return static_cast<int>(failure.exit_code());
  } catch (const std::exception& error) {
    // Memory, in practice: everything that can be foreseen has a sentence of its own.
    fmt::print(stderr, "{}: {}\n", rtecho::pair::program_name(), error.what());
    return static_cast<int>(ExitCode::machine_refused);
  }
}
