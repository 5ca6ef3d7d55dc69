#include "frame_link.hpp"

#include <fmt/format.h>

#include "drivers/mac_text.hpp"
#include "drivers/udp_endpoint.hpp"
#include "libpcap.hpp"
#include "platform/clock.hpp"
#include "platform/random.hpp"
#include "report/program_failure.hpp"
#include "rt_core/bytes.hpp"
#include "rt_core/ipv4.hpp"
#include "rt_core/udp_header.hpp"
#include "sentences.hpp"

namespace rtecho::pair {

using report::ExitCode;
using report::ProgramFailure;

namespace {

constexpr std::uint16_t discard_port = 9;
constexpr int neighbour_looks = 20;
constexpr Duration between_looks = Duration::from_ms(10);

const FrameDriver& driver_of(const LinkOptions& options) {
  return options.driver == Driver::pcap ? libpcap::frame_driver() : ring_driver;
}

drivers::Interface find(const std::string& name) {
  auto found = drivers::find_interface(name);
  if (!found) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("--iface {}: {}; see ip link", name,
                                     found.error().status == Status::not_found ? "there is no such interface"
                                                                               : sentence_of(found.error())));
  }
  return std::move(found).value();
}

constexpr Error no_ipv6{Status::unsupported, 0,
                        "udp over frames with an IPv6 address (IPv4 only; --driver socket carries both)"};

void make_kernel_ask(std::uint32_t address) {
  auto nudge = drivers::UdpEndpoint::bind(drivers::Address::any(drivers::IpVersion::ipv4));
  if (nudge && nudge.value().connect(drivers::Address::from_ipv4(address, discard_port))) {
    constexpr std::byte nothing{0};
    (void)nudge.value().send(std::span(&nothing, 1)).has_value();
  }
}

// The private and dynamic ports (RFC 6335, 6): nobody is listening there by agreement.
std::uint16_t any_dynamic_port() {
  constexpr std::uint16_t first = 49'152;
  constexpr std::uint64_t count = 16'384;
  return static_cast<std::uint16_t>(first + platform::random_u64() % count);
}

}  // namespace

FrameLink::FrameLink(const LinkOptions& options)
    : options_(options), interface_(find(options.interface)), driver_(&driver_of(options)) {
  check_interface();
  try_driver();
  if (options_.own_address) {
    claim_own_address();
  }
}

void FrameLink::check_interface() const {
  const auto refuse = [this](const std::string& why) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--iface {}: {}", interface_.name, why));
  };
  if (interface_.is_loopback) {
    refuse(
        "a loopback interface has no stations, so no frames to exchange; --driver socket works over it, and frame "
        "drivers need an Ethernet interface or a veth pair (rtecho-host link up)");
  }
  if (!interface_.is_ethernet) {
    refuse("is no Ethernet interface (a tunnel?); frame drivers need one, --driver socket does not");
  }
  if (!interface_.is_up) {
    refuse(fmt::format("is down; sudo ip link set {} up", interface_.name));
  }
  if (!interface_.has_carrier) {
    refuse("has no carrier; is the cable plugged in and the other end up?");
  }
  if (!interface_.mac.is_station()) {
    refuse(fmt::format("has the address {}, which is no station's", drivers::mac_text(interface_.mac)));
  }
  if (options_.peer_mac && *options_.peer_mac == interface_.mac) {
    throw ProgramFailure(ExitCode::usage, "--peer-mac: that is this end's own address");
  }
}

// What a series would be refused for is told at once.
void FrameLink::try_driver() const {
  const auto tried = driver_->open_ethernet(FrameRequest{interface_, options_, MessageShape{}},
                                            {interface_.mac, MacAddress{}, options_.vlan});
  if (!tried) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--driver {} --iface {}: {}", name_of(options_.driver),
                                                                interface_.name, sentence_of(tried.error())));
  }
}

void FrameLink::refresh() const {
  for (const drivers::Interface& seen : drivers::list_interfaces()) {
    if (seen.index == interface_.index) {
      interface_ = seen;
    }
  }
}

void FrameLink::claim_own_address() const {
  const std::uint32_t address = *options_.own_address;
  const std::string text = drivers::Address::from_ipv4(address).host_text();
  const auto held = drivers::kernel_holds_address(address);
  if (!held) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--address {}: {}", text, sentence_of(held.error())));
  }
  if (held.value()) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("--address {}: this host's kernel holds it, and would answer, too; take one that "
                                     "no host has, or leave --address away to share the kernel's",
                                     text));
  }
  const auto owner = driver_->ask_for_station(
      FrameRequest{interface_, options_, MessageShape{}},
      {.local_mac = interface_.mac, .local_address = 0, .tag = options_.vlan, .wanted = address});
  if (!owner) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("--iface {}: {}", interface_.name, sentence_of(owner.error())));
  }
  if (owner.value()) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--address {}: the host {} answers for it already",
                                                                text, drivers::mac_text(*owner.value())));
  }
}

std::uint32_t FrameLink::message_bytes_max(Protocol protocol) const {
  refresh();
  const std::size_t in_front =
      protocol == Protocol::eth ? drivers::raw_length_field_bytes : ipv4_header_bytes + udp_header_bytes;
  const std::size_t most = interface_.mtu > in_front ? interface_.mtu - in_front : 0;
  return most < rtecho::message_bytes_max(protocol) ? static_cast<std::uint32_t>(most)
                                                    : rtecho::message_bytes_max(protocol);
}

Result<FrameDatagrams> FrameLink::bind_datagrams(const drivers::Address& local) const {
  if (options_.own_address) {
    const std::uint16_t port = local.port() != 0 ? local.port() : any_dynamic_port();
    return FrameDatagrams({*options_.own_address, port}, std::nullopt);
  }
  if (local.version() != drivers::IpVersion::ipv4) {
    return no_ipv6;
  }
  drivers::Ipv4Endpoint endpoint{local.ipv4(), local.port()};
  auto shadow = drivers::ShadowSocket::bind(endpoint);
  if (!shadow) {
    return shadow.error();
  }
  endpoint.port = shadow.value().local_port();
  return FrameDatagrams(endpoint, std::move(shadow).value());
}

Result<std::unique_ptr<DataPort>> FrameLink::connect_to_server(FrameDatagrams datagrams, const drivers::Address& server,
                                                               const MessageShape& shape) const {
  return connect(std::move(datagrams), server, options_.peer_mac.value_or(MacAddress{}), shape);
}

Result<std::unique_ptr<DataPort>> FrameLink::connect_to_client(FrameDatagrams datagrams, const drivers::Address& client,
                                                               const MacAddress& told,
                                                               const MessageShape& shape) const {
  if (client.version() != drivers::IpVersion::ipv4) {
    return no_ipv6;
  }
  const Result<MacAddress> station = station_of(client.ipv4(), told);
  if (!station) {
    return station.error();
  }
  return connect(std::move(datagrams), client, station.value(), shape);
}

Result<std::unique_ptr<DataPort>> FrameLink::connect(FrameDatagrams datagrams, const drivers::Address& peer,
                                                     const MacAddress& station, const MessageShape& shape) const {
  if (peer.version() != drivers::IpVersion::ipv4) {
    return no_ipv6;
  }
  drivers::EthernetUdpPlan plan;
  plan.local_mac = interface_.mac;
  plan.peer_mac = station;
  plan.session.local = datagrams.local();
  plan.session.peer = {peer.ipv4(), peer.port()};
  plan.session.own_address = options_.own_address.has_value();
  plan.tag = options_.vlan;
  plan.differentiated_services = options_.marking.differentiated_services.value_or(0);
  std::optional<drivers::ShadowSocket> shadow = datagrams.take_shadow();
  if (shadow) {
    const Result<void> connected = shadow->connect(plan.session.peer);
    if (!connected) {
      return connected.error();
    }
  }
  return driver_->open_udp(request_of_series(shape), plan, std::move(shadow));
}

// What the user says; what the kernel knows, for the control connection came from there; what the client says of
// itself, which its answer to the probe will prove. Only where all of them are silent somebody has to ask: we ourselves
// with an address of our own, because the kernel would ask in its own name; else the kernel, which a datagram makes do
// it.
Result<MacAddress> FrameLink::station_of(std::uint32_t address, const MacAddress& told) const {
  if (options_.peer_mac) {
    return *options_.peer_mac;
  }
  if (const auto known = drivers::kernel_neighbour(interface_.index, address)) {
    return *known;
  }
  if (told.is_station()) {
    return told;
  }
  if (options_.own_address) {
    const auto found = driver_->ask_for_station(
        FrameRequest{interface_, options_, MessageShape{}},
        {.local_mac = interface_.mac, .local_address = *options_.own_address, .tag = options_.vlan, .wanted = address});
    if (!found) {
      return found.error();
    }
    if (found.value()) {
      return *found.value();
    }
  } else {
    make_kernel_ask(address);
    for (int i = 0; i < neighbour_looks; ++i) {
      if (const auto station = drivers::kernel_neighbour(interface_.index, address)) {
        return *station;
      }
      platform::sleep_until(platform::MonotonicClock::now() + between_looks);
    }
  }
  return Error{Status::not_found, 0,
               "looking for the client's station on the interface (is it on the same segment? else give --peer-mac)"};
}

Result<std::unique_ptr<DataPort>> FrameLink::open_ethernet(const MacAddress& peer, const MessageShape& shape) const {
  return driver_->open_ethernet(request_of_series(shape), {interface_.mac, peer, options_.vlan});
}

// The first series has the file as it was named, the others "name-2.pcap", "name-3.pcap", …
FrameRequest FrameLink::request_of_series(const MessageShape& shape) const {
  ++series_;
  std::string path = options_.capture_path;
  if (!path.empty() && series_ > 1) {
    const std::size_t name = path.rfind('/') + 1;  // npos + 1 is 0
    const std::size_t dot = path.find('.', name + 1);
    path.insert(dot == std::string::npos ? path.size() : dot, fmt::format("-{}", series_));
  }
  return {interface_, options_, shape, path};
}

}  // namespace rtecho::pair
