#include <utility>

#include "drivers/ring_port.hpp"
#include "frame_stack.hpp"

namespace rtecho::pair {

namespace {

using drivers::RingPort;

Result<RingPort> open_ring(const FrameRequest& request, const drivers::FrameSelection& selection) {
  drivers::RingPlan plan;
  plan.way = request.options.transmit;
  plan.priority = request.options.socket_priority;
  auto ring = drivers::PacketRing::open(request.interface, selection, plan);
  if (!ring) {
    return ring.error();
  }
  return RingPort(std::move(ring).value());
}

Result<std::unique_ptr<DataPort>> open_ethernet(const FrameRequest& request, const drivers::EthernetRawPlan& plan) {
  return stack_frames<drivers::EthernetRawPort>(open_ring(request, selection_of(request, std::nullopt)), plan,
                                                std::nullopt);
}

Result<std::unique_ptr<DataPort>> open_udp(const FrameRequest& request, const drivers::EthernetUdpPlan& plan,
                                           std::optional<drivers::ShadowSocket> shadow) {
  auto ring = open_ring(request, selection_of(request, plan.session));
  announce(ring, plan);
  return stack_frames<drivers::EthernetUdpPort>(std::move(ring), plan, std::move(shadow));
}

Result<std::optional<MacAddress>> ask_for_station(const FrameRequest& request,
                                                  const drivers::AddressQuestion& question) {
  const std::uint32_t address = *request.options.own_address;
  auto frames = open_ring(request, selection_of(request, address_only(address)));
  if (!frames) {
    return frames.error();
  }
  return drivers::ask_for_station(frames.value(), question);
}

}  // namespace

const FrameDriver ring_driver{&open_ethernet, &open_udp, &ask_for_station};

}  // namespace rtecho::pair
