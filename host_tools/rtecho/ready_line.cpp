#include "ready_line.hpp"

#include <fmt/format.h>
#include <fmt/os.h>

#include <cstdio>

#include "report/program_failure.hpp"

namespace rtecho::pair {

void announce_ready(int descriptor, const std::string& address, std::uint16_t port) {
  if (descriptor < 0) {
    return;
  }
  try {
    fmt::file stream = fmt::file::dup(descriptor);
    const std::string line = fmt::format("ready {} {}\n", address, port);
    stream.write(line.data(), line.size());
  } catch (const std::system_error& error) {
    throw report::ProgramFailure(report::ExitCode::usage, fmt::format("--ready-fd {}: {}", descriptor, error.what()));
  }
}

}  // namespace rtecho::pair
