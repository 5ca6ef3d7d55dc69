// Both protocols over the real frame drivers, at the two ends of a veth pair in namespaces of the test's own. The link
// is as long as a link can be, so that the contract's long messages fit into one frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "drivers/interface.hpp"
#include "drivers/mac_text.hpp"
#include "drivers/packet_ring.hpp"
#include "drivers/ring_port.hpp"
#include "port_rigs.hpp"
#include "veth_pair.hpp"

namespace rtecho::drivers::test {

template <TransmitWay way>
struct RingDriver {
  using Frames = RingPort;
  struct Opened {
    Opened(const Interface& interface, const FrameSelection& selection)
        : frames(PacketRing::open(interface, selection, plan()).value()) {}
    static RingPlan plan() {
      RingPlan plan;
      plan.frames = 64;
      plan.way = way;
      return plan;
    }
    Frames frames;
  };
};

template <typename Driver, typename Protocol, const std::optional<VlanTag>& tag>
struct FrameDriverRig {
  static constexpr bool is_lossless = false;
  static inline const std::vector<std::uint32_t> sizes{1, 15, 16, 45, 46, 64, 1'472, 1'498, 60'000, 65'507};
  static constexpr std::uint32_t mtu = 65'535;
  using Frames = typename Driver::Frames;
  using Opened = typename Driver::Opened;
  using Port = typename Protocol::template Port<Frames>;

  // The server is at the near end, where the thread stays; the client's port was opened at the far one.
  explicit FrameDriverRig(std::uint32_t) {
    opened_server = open(interface_of(pair.plan().near), pair.plan().far);
    server_port.emplace(opened_server->frames, plan_for(pair.plan().near, pair.plan().far));
    const InsideNamespace inside(pair.far_namespace());
    opened_client = open(interface_of(pair.plan().far), pair.plan().near);
    client_port.emplace(opened_client->frames, plan_for(pair.plan().far, pair.plan().near));
  }
  static std::optional<std::string> missing() {
    const VethPair tried(veth_plan());
    return tried.why_not().empty() ? std::nullopt : std::optional(tried.why_not());
  }
  Port& client() { return *client_port; }
  Port& server() { return *server_port; }

 private:
  static VethPlan veth_plan() {
    VethPlan plan;
    plan.mtu = mtu;
    return plan;
  }
  static MacAddress mac_of(const VethEnd& end) { return parse_mac(end.mac).value(); }
  static Interface interface_of(const VethEnd& end) { return find_interface(end.name).value(); }
  static auto plan_for(const VethEnd& local, const VethEnd& peer) {
    return Protocol::plan(mac_of(local), mac_of(peer), tag);
  }
  static std::unique_ptr<Opened> open(const Interface& interface, const VethEnd& peer) {
    FrameSelection selection{.local = interface.mac, .vlan_id = std::nullopt, .udp = std::nullopt};
    if (tag) {
      selection.vlan_id = tag->id;
    }
    if constexpr (requires { Protocol::endpoint_of(interface.mac); }) {
      selection.udp = UdpSelection{Protocol::endpoint_of(interface.mac), Protocol::endpoint_of(mac_of(peer)), false};
    }
    return std::make_unique<Opened>(interface, selection);
  }

  VethPair pair{veth_plan()};
  std::unique_ptr<Opened> opened_server;
  std::unique_ptr<Opened> opened_client;
  std::optional<Port> server_port;
  std::optional<Port> client_port;
};

using RawOverRingRig = FrameDriverRig<RingDriver<TransmitWay::send>, RawProtocol, no_tag>;
using TaggedRawOverRingRig = FrameDriverRig<RingDriver<TransmitWay::send>, RawProtocol, some_tag>;
using UdpOverRingRig = FrameDriverRig<RingDriver<TransmitWay::send>, UdpProtocol, no_tag>;
using TaggedUdpOverRingRig = FrameDriverRig<RingDriver<TransmitWay::send>, UdpProtocol, some_tag>;
using RawOverTransmitRingRig = FrameDriverRig<RingDriver<TransmitWay::ring>, RawProtocol, no_tag>;

}  // namespace rtecho::drivers::test
