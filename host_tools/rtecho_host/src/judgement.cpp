#include "judgement.hpp"

#include <chrono>
#include <csignal>

#include "rtecho_host/child_process.hpp"

namespace rtecho::host {
namespace {

constexpr std::chrono::hours one_wait{1};
constexpr std::chrono::seconds stopping_time{5};

void append(std::vector<std::string>& arguments, const RunFiles& files) {
  for (const std::filesystem::path& file : files) {
    arguments.push_back(file.string());
  }
}

ExitCode run_this_program(std::vector<std::string> arguments, const platform::StopFlag& stop) {
  ChildProcess process({.program = std::filesystem::read_symlink("/proc/self/exe").string(),
                        .arguments = std::move(arguments),
                        .output_is_ours = true});
  while (!process.has_ended(one_wait, stop.wake_descriptor())) {
    if (stop.requested()) {
      process.stop(SIGTERM, stopping_time);
      throw ProgramFailure(ExitCode::interrupted, "interrupted while the runs were judged");
    }
  }
  return exit_code_of_child(process.exit_code());
}

}  // namespace

ExitCode print_comparison(const RunFiles& files, const std::optional<std::string>& reference,
                          const platform::StopFlag& stop) {
  std::vector<std::string> arguments{"compare"};
  append(arguments, files);
  if (reference) {
    arguments.insert(arguments.end(), {"--reference", *reference});
  }
  return run_this_program(std::move(arguments), stop);
}

ExitCode check_bounds(const RunFiles& files, const std::filesystem::path& bounds, const RunFiles& baseline,
                      const platform::StopFlag& stop) {
  std::vector<std::string> arguments{"check"};
  append(arguments, files);
  arguments.insert(arguments.end(), {"--bounds", bounds.string()});
  if (!baseline.empty()) {
    arguments.emplace_back("--baseline");
    append(arguments, baseline);
  }
  return run_this_program(std::move(arguments), stop);
}

}  // namespace rtecho::host
