// The two protocols that are made of frames, over any wire that carries messages.
#pragma once

#include <cstddef>
#include <optional>

#include "drivers/ethernet_raw_port.hpp"
#include "drivers/ethernet_udp_port.hpp"
#include "drivers/frames_over.hpp"
#include "rt_core/ethernet.hpp"

namespace rtecho::simulation {

inline constexpr MacAddress client_mac{{std::byte{2}, {}, {}, {}, {}, std::byte{1}}};
inline constexpr MacAddress server_mac{{std::byte{2}, {}, {}, {}, {}, std::byte{2}}};

// Of an untagged frame: where the checksums are.
inline constexpr std::size_t ipv4_checksum_at = 24;
inline constexpr std::size_t udp_checksum_at = 40;

template <typename Wire>
class UdpEnds {
 public:
  using Frames = drivers::FramesOver<Wire>;
  using Port = drivers::EthernetUdpPort<Frames>;
  UdpEnds(Wire& client, Wire& server)
      : client_frames_(client),
        server_frames_(server),
        client_(client_frames_, {client_mac, server_mac, {client_end, server_end, true}, std::nullopt, 0}),
        server_(server_frames_, {server_mac, client_mac, {server_end, client_end, true}, std::nullopt, 0}) {}
  [[nodiscard]] Port& client() { return client_; }
  [[nodiscard]] Port& server() { return server_; }

 private:
  static constexpr drivers::Ipv4Endpoint client_end{0x0A00'0001, 4'000};
  static constexpr drivers::Ipv4Endpoint server_end{0x0A00'0002, 7'008};
  Frames client_frames_;
  Frames server_frames_;
  Port client_;
  Port server_;
};

// In a VLAN, and the server answers whoever asks.
template <typename Wire>
class RawEnds {
 public:
  using Frames = drivers::FramesOver<Wire>;
  using Port = drivers::EthernetRawPort<Frames>;
  RawEnds(Wire& client, Wire& server)
      : client_frames_(client),
        server_frames_(server),
        client_(client_frames_, {client_mac, server_mac, tag}),
        server_(server_frames_, {server_mac, MacAddress{}, tag}) {}
  [[nodiscard]] Port& client() { return client_; }
  [[nodiscard]] Port& server() { return server_; }

 private:
  static constexpr VlanTag tag{100, 5};
  Frames client_frames_;
  Frames server_frames_;
  Port client_;
  Port server_;
};

}  // namespace rtecho::simulation
