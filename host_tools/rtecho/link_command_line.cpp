#include "link_command_line.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "drivers/address.hpp"
#include "drivers/mac_text.hpp"
#include "libpcap.hpp"
#include "quantities.hpp"

namespace rtecho::pair {

namespace {

std::vector<std::string> driver_names() {
  std::vector<std::string> names{"socket", "ring"};
  if (libpcap::is_present()) {
    names.emplace_back("pcap");
  }
  return names;
}

[[noreturn]] void refuse(const std::string& sentence) {
  throw CLI::ValidationError(sentence);
}

}  // namespace

void add_link_options(CLI::App& app, LinkOptions& options, UncontrolledOptions& uncontrolled, LinkTexts& texts) {
  app.add_option("--driver", texts.driver,
                 "how this end touches the wire: socket, or a frame driver (ring: AF_PACKET rings; pcap: libpcap); "
                 "tcp always goes over sockets")
      ->check(CLI::IsMember(driver_names()))
      ->capture_default_str();
  app.add_option("--iface", options.interface,
                 "interface of a frame driver [required there]; for sockets, the one below --vlan");
  app.add_option("--address", texts.address,
                 "IPv4 address of our own, which no kernel holds; ARP and ping for it are answered here; udp over "
                 "frames [the kernel's address, shared]");
  app.add_option("--peer-mac", texts.peer_mac, "the other end's station, aa:bb:cc:dd:ee:ff; frame drivers [found out]");
  app.add_option("--vlan", texts.vlan, "ID[:PRIORITY] of the VLAN, 1 to 4094, and 0 to 7 [untagged]");
  app.add_option("--dscp", texts.differentiated_services, "mark packets with this code point, 0 to 63 [0]")
      ->check(CLI::Range(0, 63));
  app.add_option("--socket-priority", options.marking.priority,
                 "priority of what is sent in this host's queues, 0 to 15; above 6 needs CAP_NET_ADMIN [0]")
      ->check(CLI::Range(0, 15));
  app.add_option("--transmit", texts.transmit, "how a ring sends: send (a system call per frame) or ring")
      ->check(CLI::IsMember(std::vector<std::string>{"send", "ring"}))
      ->capture_default_str();
  if (libpcap::is_present()) {
    app.add_option("--capture", options.capture_path,
                   "pcap file of the first and the slowest messages' frames, written after each series (further ones "
                   "with -2, -3 … in the name); frame drivers");
  }
  app.add_flag("--no-control", uncontrolled.no_control,
               "no control channel: both ends are given --session, the size and the peer; eth only");
  app.add_option("--session", texts.session, "16 hexadecimal digits, the same at both ends; with --no-control");
}

void finish_link_options(const LinkTexts& texts, LinkOptions& options, UncontrolledOptions& uncontrolled) {
  options.driver = *parse_driver(texts.driver);
  options.transmit = texts.transmit == "send" ? drivers::TransmitWay::send : drivers::TransmitWay::ring;
  if (texts.differentiated_services) {
    options.marking.differentiated_services = static_cast<std::uint8_t>(*texts.differentiated_services);
  }
  if (options.moves_frames() && options.interface.empty()) {
    refuse(fmt::format("--driver {}: which interface? give --iface IF (see ip link)", texts.driver));
  }
  if (!options.moves_frames()) {
    for (const auto& [name, given] :
         {std::pair("--address", !texts.address.empty()), std::pair("--peer-mac", !texts.peer_mac.empty()),
          std::pair("--capture", !options.capture_path.empty()), std::pair("--no-control", uncontrolled.no_control)}) {
      if (given) {
        refuse(fmt::format("{}: needs a frame driver (--driver ring --iface IF)", name));
      }
    }
  }
  if (!texts.address.empty()) {
    const auto address = drivers::Address::parse(texts.address);
    if (!address || address.value().port() != 0 || address.value().version() != drivers::IpVersion::ipv4 ||
        !is_host_address(address.value().ipv4())) {
      refuse(fmt::format("--address {}: not an IPv4 address that a host can have, like 10.77.0.101", texts.address));
    }
    options.own_address = address.value().ipv4();
  }
  if (!texts.peer_mac.empty()) {
    options.peer_mac = drivers::parse_mac(texts.peer_mac);
    if (!options.peer_mac || !options.peer_mac->is_station()) {
      refuse(fmt::format("--peer-mac {}: not a station's address, like 02:00:00:00:00:0a", texts.peer_mac));
    }
  }
  if (!texts.vlan.empty()) {
    options.vlan = parse_vlan(texts.vlan);
    if (!options.vlan) {
      refuse(fmt::format("--vlan {}: not ID or ID:PRIORITY, with 1 to 4094 and 0 to 7", texts.vlan));
    }
    if (!options.moves_frames() && options.interface.empty()) {
      refuse("--vlan: over which interface? give --iface IF; sockets are bound to its VLAN device");
    }
    if (!options.moves_frames() && texts.vlan.find(':') != std::string::npos) {
      refuse(
          "--vlan: the priority of a socket's tags is its device's egress-qos-map (see ip-link(8)) applied to "
          "--socket-priority; give the ID alone");
    }
  }
  if (uncontrolled.no_control == texts.session.empty()) {
    refuse(uncontrolled.no_control ? "--no-control: give --session, the same at both ends"
                                   : "--session: only with --no-control; else the server chooses it");
  }
  if (uncontrolled.no_control) {
    const auto session = parse_hex(texts.session);
    if (!session) {
      refuse(fmt::format("--session {}: not 16 hexadecimal digits", texts.session));
    }
    uncontrolled.session = *session;
  }
}

}  // namespace rtecho::pair
