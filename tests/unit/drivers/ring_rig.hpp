// A ring at the near end of a veth pair, and a packet socket at the far end.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "drivers/interface.hpp"
#include "drivers/mac_text.hpp"
#include "drivers/ring_port.hpp"
#include "raw_frames.hpp"
#include "veth_pair.hpp"

namespace rtecho::drivers::test {

// Tests that are skipped where a pair cannot be made.
class RingTest : public testing::Test {
 protected:
  void SetUp() override { make_pair({}); }
  void TearDown() override {
    far_socket.reset();
    pair.reset();
  }

  void make_pair(const VethPlan& plan) {
    TearDown();
    pair = std::make_unique<VethPair>(plan);
    if (!pair->why_not().empty()) {
      GTEST_SKIP() << pair->why_not();
    }
    near = find_interface(pair->plan().near.name).value();
    far_mac = parse_mac(pair->plan().far.mac).value();
    const InsideNamespace inside(pair->far_namespace());
    far_socket.emplace(pair->plan().far.name);
    ASSERT_TRUE(far_socket->is_open());
  }

  // Of the raw frames to the near end.
  [[nodiscard]] FrameSelection selection() const {
    return {.local = near.mac, .vlan_id = std::nullopt, .udp = std::nullopt};
  }
  [[nodiscard]] RingPort open_port(const RingPlan& plan = {}) const {
    return RingPort(PacketRing::open(near, selection(), plan).value());
  }

  // From the far end.
  [[nodiscard]] EthernetHeader header() const {
    return {.destination = near.mac, .source = far_mac, .tag = std::nullopt, .type = ether_type::echo};
  }

  // Arrivals come with a softirq, which may be a moment late.
  static std::vector<FrameArrival> receive(RingPort& port, std::size_t count) {
    std::vector<FrameArrival> arrivals(count);
    std::size_t received = 0;
    const Instant deadline = port.now() + Duration::from_s(2);
    while (received < count && port.now() < deadline) {
      received += port.receive(std::span(arrivals).subspan(received));
      if (received < count) {
        port.wait(deadline);
      }
    }
    arrivals.resize(received);
    return arrivals;
  }

  static Frame copy(const FrameArrival& arrival) { return {arrival.bytes.begin(), arrival.bytes.end()}; }

  std::unique_ptr<VethPair> pair;
  Interface near;
  MacAddress far_mac;
  std::optional<RawFrameSocket> far_socket;
};

}  // namespace rtecho::drivers::test
