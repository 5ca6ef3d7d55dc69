#include "load.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/process/search_path.hpp>
#include <csignal>

#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

constexpr std::chrono::seconds settling_time{1};
constexpr std::chrono::seconds stopping_time{5};
constexpr std::chrono::seconds version_limit{10};

std::vector<std::string> load_arguments() {
  return {"--cpu", "2", "--switch", "2", "--sock", "1"};
}

std::string find_stress_ng() {
  const boost::filesystem::path found = boost::process::search_path("stress-ng");
  if (found.empty()) {
    throw ProgramFailure(ExitCode::machine_refused,
                         "start the load: stress-ng not found; install the package stress-ng, or use load = \"none\"");
  }
  return found.string();
}

std::string version_of(const std::string& program) {
  ChildProcess process({.program = program, .arguments = {"--version"}});
  process.has_ended(version_limit);
  const std::string output = process.output();
  return output.substr(0, output.find('\n'));
}

}  // namespace

Load::Load(const platform::StopFlag& stop)
    : program_(find_stress_ng()),
      version_(version_of(program_)),
      process_({.program = program_, .arguments = load_arguments()}) {
  if (process_.has_ended(settling_time, stop.wake_descriptor())) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("start the load: {} ended with {}\n  {}", command(), process_.exit_code(),
                                     fmt::join(process_.last_words(), "\n  ")));
  }
}

Load::~Load() {
  process_.stop(SIGTERM, stopping_time);
}

void Load::require_running() {
  if (process_.has_ended(std::chrono::milliseconds::zero())) {
    throw ProgramFailure(
        ExitCode::not_reliable,
        fmt::format("the load stopped by itself with {}: the run is thrown away; start the campaign again to "
                    "continue it\n  {}",
                    process_.exit_code(), fmt::join(process_.last_words(), "\n  ")));
  }
}

std::string Load::command() {
  return fmt::format("stress-ng {}", fmt::join(load_arguments(), " "));
}

}  // namespace rtecho::host
