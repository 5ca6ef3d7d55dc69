#include "ip_tool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/process/search_path.hpp>
#include <chrono>
#include <csignal>

#include "rtecho_host/child_process.hpp"
#include "rtecho_host/exit_codes.hpp"

namespace rtecho::host {
namespace {

constexpr std::chrono::seconds ip_limit{10};

std::string find_ip() {
  std::vector<boost::filesystem::path> folders = boost::this_process::path();
  // Not on the path of ordinary users, and sudo may keep theirs.
  folders.emplace_back("/usr/sbin");
  folders.emplace_back("/sbin");
  const boost::filesystem::path found = boost::process::search_path("ip", folders);
  if (found.empty()) {
    throw ProgramFailure(ExitCode::machine_refused, "find the ip command: not found; install iproute2");
  }
  return found.string();
}

}  // namespace

std::string run_ip(std::vector<std::string> arguments, const std::string& advice) {
  const std::string asked = fmt::format("ip {}", fmt::join(arguments, " "));
  ChildProcess ip({.program = find_ip(), .arguments = std::move(arguments), .dies_with_parent = false});
  // Signals end a wait early, so it is repeated until the deadline.
  const auto deadline = std::chrono::steady_clock::now() + ip_limit;
  while (!ip.has_ended(ip_limit)) {
    if (std::chrono::steady_clock::now() >= deadline) {
      throw ProgramFailure(ExitCode::machine_refused, fmt::format("{}: no end after {} s", asked, ip_limit.count()));
    }
  }
  if (ip.exit_code() != 0) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("{}: {}; {}", asked, fmt::join(ip.last_words(), " / "), advice));
  }
  return ip.output();
}

}  // namespace rtecho::host
