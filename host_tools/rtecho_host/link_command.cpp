#include "link_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "platform/os_error.hpp"
#include "platform/stop_flag.hpp"
#include "rtecho_host/exit_codes.hpp"
#include "rtecho_host/link.hpp"

namespace rtecho::host {
namespace {

constexpr int status_down = 1;
constexpr int status_half = 4;

std::string describe(const LinkOptions& options) {
  return fmt::format("{} ({} {}) and {} ({} {}), mtu {}", options.a.network_namespace, options.a.interface,
                     options.a.address, options.b.network_namespace, options.b.interface, options.b.address,
                     options.mtu);
}

void up(const LinkOptions& options) {
  const auto stop = platform::StopFlag::install();
  if (!stop) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("link up: {}: {}", stop.error().context,
                                                                platform::os_error_text(stop.error().os_code)));
  }
  const bool made = bring_link_up(options, stop.value());
  fmt::print("{}: {}\n", made ? "up" : "already up", describe(options));
}

void down(const LinkOptions& options) {
  fmt::print("{}\n", take_link_down(options) ? "down" : "already down");
}

int status(const LinkOptions& options) {
  const LinkReport report = look_at_link(options);
  const std::string remarks = fmt::format("{}", fmt::join(report.remarks, ", "));
  switch (report.state) {
    case LinkState::up:
      fmt::print("{}\n", remarks.empty() ? "up: " + describe(options) : "up with other values: " + remarks);
      return 0;
    case LinkState::down:
      fmt::print("down\n");
      return status_down;
    case LinkState::half:
      fmt::print("half made: {}; mend it with rtecho-host link up or down\n", remarks);
      return status_half;
    case LinkState::foreign:
      fmt::print("foreign: {}\n", remarks);
      break;
  }
  return static_cast<int>(ExitCode::machine_refused);
}

}  // namespace

void add_link_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<LinkOptions>();
  CLI::App* link = app.add_subcommand("link", "A local link: two network namespaces joined by a veth pair");
  link->require_subcommand(1);
  link->fallthrough();  // the options may follow up, down and status
  link->add_option("--namespace-a", options->a.network_namespace, "Namespace of one end")->capture_default_str();
  link->add_option("--namespace-b", options->b.network_namespace, "Namespace of the other end")->capture_default_str();
  link->add_option("--interface-a", options->a.interface, "Its interface")->capture_default_str();
  link->add_option("--interface-b", options->b.interface, "Its interface")->capture_default_str();
  link->add_option("--address-a", options->a.address, "Its IPv4 address with prefix length")->capture_default_str();
  link->add_option("--address-b", options->b.address, "Its IPv4 address with prefix length")->capture_default_str();
  link->add_option("--mtu", options->mtu, "Largest IP packet in bytes")->capture_default_str();

  link->add_subcommand("up", "Make the link")->fallthrough()->callback([options] {
    validate(*options);
    up(*options);
  });
  link->add_subcommand("down", "Remove it, if it is ours")->fallthrough()->callback([options] {
    validate(*options);
    down(*options);
  });
  link->add_subcommand("status", "Say whether it is up (0), down (1), half made (4) or not ours (3)")
      ->fallthrough()
      ->callback([options, &exit_code] {
        validate(*options);
        exit_code = status(*options);
      });
}

}  // namespace rtecho::host
