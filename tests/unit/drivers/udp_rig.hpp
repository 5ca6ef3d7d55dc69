// The two ends of a session of EthernetUdpPort, planned as in hand_made_frames.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "drivers/ethernet_udp_port.hpp"
#include "hand_made_frames.hpp"
#include "scripted_frame_port.hpp"

namespace rtecho::drivers::test {

using UdpWireRig = WireRig<EthernetUdpPort<FramesOver<LoopbackLink<FakeClock, 64>::Port>>, EthernetUdpPlan>;

inline constexpr VlanTag tag_100{100, 5};
inline constexpr std::uint32_t tag_100_bytes = 0x8100'A064;

inline EthernetUdpPlan udp_server_plan(const std::optional<VlanTag>& tag = std::nullopt) {
  return {server_mac, client_mac, {{server_address, server_port}, {client_address, client_port}, false}, tag, 0};
}
inline EthernetUdpPlan udp_client_plan(const std::optional<VlanTag>& tag = std::nullopt) {
  return {client_mac, server_mac, {{client_address, client_port}, {server_address, server_port}, false}, tag, 0};
}

// Over a driver of which the test decides everything.
struct ScriptedUdp {
  explicit ScriptedUdp(const EthernetUdpPlan& plan, std::uint32_t headroom = 0) : port(frames, plan) {
    frames.headroom_bytes = headroom;
  }
  std::size_t look_at(rtecho::test::ScriptedFramePort::Delivery delivery) {
    frames.arrive(std::move(delivery));
    return port.receive(arrivals);
  }
  rtecho::test::ScriptedFramePort frames;
  EthernetUdpPort<rtecho::test::ScriptedFramePort> port;
  std::array<Arrival, 16> arrivals;
};

}  // namespace rtecho::drivers::test
