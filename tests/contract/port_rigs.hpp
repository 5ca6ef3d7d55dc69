// Pairs of joined message ports for the contract tests. A rig opens both ends in this process, on loopback addresses
// and free ports, and says what its ports promise beyond the contract.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drivers/address.hpp"
#include "drivers/ethernet_raw_port.hpp"
#include "drivers/ethernet_udp_port.hpp"
#include "drivers/fake_clock.hpp"
#include "drivers/fault_port.hpp"
#include "drivers/frames_over.hpp"
#include "drivers/loopback_port.hpp"
#include "drivers/tcp_connection.hpp"
#include "drivers/tcp_stream_port.hpp"
#include "drivers/udp_endpoint.hpp"
#include "drivers/udp_socket_port.hpp"
#include "platform/memory.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/frame_block.hpp"
#include "rt_core/limits.hpp"

namespace rtecho::drivers::test {

inline platform::MappedMemory map_memory(std::size_t bytes) {
  return platform::MappedMemory::map(bytes).value();
}

inline Address loopback_address(IpVersion version) {
  return Address::parse(version == IpVersion::ipv4 ? "127.0.0.1" : "::1").value();
}

// The edges of every header, of an Ethernet frame and of UDP.
inline const std::vector<std::uint32_t> datagram_sizes{1, 15, 16, 63, 64, 1'472, 1'473, 65'507};

struct LoopbackRig {
  static constexpr bool is_lossless = true;
  static inline const std::vector<std::uint32_t> sizes = datagram_sizes;
  static constexpr std::uint32_t slots = 64;
  using Link = LoopbackLink<FakeClock, slots>;

  explicit LoopbackRig(std::uint32_t) {}
  static std::optional<std::string> missing() { return std::nullopt; }
  Link::Port& client() { return link.client(); }
  Link::Port& server() { return link.server(); }

  FakeClock clock;
  platform::MappedMemory memory = map_memory(Link::memory_bytes(limits::message_bytes_max));
  Link link{clock, memory.bytes(), limits::message_bytes_max};
};

// The wrapper without faults changes nothing.
struct FaultRig {
  static constexpr bool is_lossless = true;
  static inline const std::vector<std::uint32_t> sizes = datagram_sizes;
  static constexpr std::uint32_t held_slots = 2;
  using Port = FaultPort<LoopbackRig::Link::Port>;

  explicit FaultRig(std::uint32_t message_bytes) : loopback(message_bytes) {}
  static std::optional<std::string> missing() { return std::nullopt; }
  Port& client() { return client_port; }
  Port& server() { return server_port; }

  LoopbackRig loopback;
  platform::MappedMemory client_held = map_memory(FrameBlock::bytes_for(held_slots, limits::message_bytes_max));
  platform::MappedMemory server_held = map_memory(FrameBlock::bytes_for(held_slots, limits::message_bytes_max));
  Port client_port{loopback.client(), FaultPlan{},
                   FrameBlock(client_held.bytes(), held_slots, limits::message_bytes_max)};
  Port server_port{loopback.server(), FaultPlan{},
                   FrameBlock(server_held.bytes(), held_slots, limits::message_bytes_max)};
};

// Longer frames than any Ethernet's, so that the protocols' own limits are met; each slot has room for a tag.
inline constexpr std::uint32_t frame_bytes_max = 14 + 20 + 8 + 65'507;

struct RawProtocol {
  template <typename Frames>
  using Port = EthernetRawPort<Frames>;
  static inline const std::vector<std::uint32_t> sizes{1,     15,    16,    44,     45,     46,    47,
                                                       1'472, 1'498, 1'499, 60'000, 65'507, 65'533};
  static EthernetRawPlan plan(const MacAddress& local, const MacAddress& peer, const std::optional<VlanTag>& tag) {
    return {local, peer, tag};
  }
};

struct UdpProtocol {
  template <typename Frames>
  using Port = EthernetUdpPort<Frames>;
  static inline const std::vector<std::uint32_t> sizes = datagram_sizes;
  static EthernetUdpPlan plan(const MacAddress& local, const MacAddress& peer, const std::optional<VlanTag>& tag) {
    return {local, peer, {endpoint_of(local), endpoint_of(peer), false}, tag, 0};
  }
  static Ipv4Endpoint endpoint_of(const MacAddress& station) {
    const auto last = std::to_integer<std::uint16_t>(station.bytes()[5]);
    return {0x0A00'0000U + last, static_cast<std::uint16_t>(7'000 + last)};
  }
};

inline constexpr std::optional<VlanTag> no_tag;
inline constexpr std::optional<VlanTag> some_tag = VlanTag{100, 5};

template <typename Protocol, const std::optional<VlanTag>& tag>
struct FrameLoopbackRig {
  static constexpr bool is_lossless = true;
  static inline const std::vector<std::uint32_t> sizes = Protocol::sizes;
  static constexpr std::uint32_t slots = 64;
  static constexpr std::uint32_t wire_bytes_max = frame_bytes_max + vlan_tag_bytes;
  using Link = LoopbackLink<FakeClock, slots>;
  using Frames = FramesOver<Link::Port>;
  using Port = typename Protocol::template Port<Frames>;

  explicit FrameLoopbackRig(std::uint32_t) {}
  static std::optional<std::string> missing() { return std::nullopt; }
  static MacAddress station(unsigned last) {
    return MacAddress({std::byte{2}, std::byte{}, std::byte{}, std::byte{}, std::byte{}, static_cast<std::byte>(last)});
  }
  Port& client() { return client_port; }
  Port& server() { return server_port; }

  FakeClock clock;
  platform::MappedMemory memory = map_memory(Link::memory_bytes(wire_bytes_max));
  Link link{clock, memory.bytes(), wire_bytes_max};
  Frames client_frames{link.client()};
  Frames server_frames{link.server()};
  Port client_port{client_frames, Protocol::plan(station(1), station(2), tag)};
  Port server_port{server_frames, Protocol::plan(station(2), station(1), tag)};
};

using RawFramesRig = FrameLoopbackRig<RawProtocol, no_tag>;
using TaggedRawFramesRig = FrameLoopbackRig<RawProtocol, some_tag>;
using UdpFramesRig = FrameLoopbackRig<UdpProtocol, no_tag>;
using TaggedUdpFramesRig = FrameLoopbackRig<UdpProtocol, some_tag>;

template <IpVersion Version>
struct UdpRig {
  static constexpr IpVersion version = Version;
  static constexpr bool is_lossless = false;
  static inline const std::vector<std::uint32_t> sizes = datagram_sizes;

  explicit UdpRig(std::uint32_t) {
    UdpEndpoint client_end = UdpEndpoint::bind(Address::any(Version)).value();
    open_server(loopback_address(Version), loopback_address(Version).with_port(client_end.local().port()));
    (void)client_end.connect(server_address).has_value();
    client_address = client_end.local();
    client_port.emplace(std::move(client_end), client_memory.bytes());
  }
  static std::optional<std::string> missing() {
    if (UdpEndpoint::bind(loopback_address(Version))) {
      return std::nullopt;
    }
    return "this machine has no loopback address of this IP version";
  }
  void open_server(const Address& local, const Address& peer) {
    UdpEndpoint end = UdpEndpoint::bind(local).value();
    (void)end.connect(peer).has_value();
    server_address = end.local();
    server_port.emplace(std::move(end), server_memory.bytes());
  }
  UdpSocketPort& client() { return *client_port; }
  UdpSocketPort& server() { return *server_port; }

  platform::MappedMemory client_memory = map_memory(UdpSocketPort::memory_bytes);
  platform::MappedMemory server_memory = map_memory(UdpSocketPort::memory_bytes);
  Address client_address;
  Address server_address;
  std::optional<UdpSocketPort> client_port;
  std::optional<UdpSocketPort> server_port;
};

using UdpIpv4Rig = UdpRig<IpVersion::ipv4>;
using UdpIpv6Rig = UdpRig<IpVersion::ipv6>;

struct TcpRig {
  static constexpr bool is_lossless = true;
  static inline const std::vector<std::uint32_t> sizes{1, 15, 16, 63, 64, 1'472, 1'473, 65'507, 65'535};

  explicit TcpRig(std::uint32_t message_bytes, Duration write_deadline = TcpStreamPort::write_deadline_default) {
    constexpr std::uint64_t session = 0x0123'4567'89AB'CDEF;
    const Address host = loopback_address(IpVersion::ipv4);
    TcpListener listener = TcpListener::listen(host).value();
    TcpConnection client_end = TcpConnection::connect(listener.local(), session, Duration::from_s(2)).value();
    TcpConnection server_end = listener.accept(host, session, Duration::from_s(2)).value();
    client_port.emplace(std::move(client_end), client_memory.bytes(), message_bytes, write_deadline);
    server_port.emplace(std::move(server_end), server_memory.bytes(), message_bytes, write_deadline);
  }
  static std::optional<std::string> missing() { return std::nullopt; }
  TcpStreamPort& client() { return *client_port; }
  TcpStreamPort& server() { return *server_port; }

  platform::MappedMemory client_memory = map_memory(TcpStreamPort::memory_bytes);
  platform::MappedMemory server_memory = map_memory(TcpStreamPort::memory_bytes);
  std::optional<TcpStreamPort> client_port;
  std::optional<TcpStreamPort> server_port;
};

}  // namespace rtecho::drivers::test
