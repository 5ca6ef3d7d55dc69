#include <utility>

#include "drivers/ring_port.hpp"
#include "frame_stack.hpp"

namespace rtecho::pair {

static nlohmann::json facts_of(const OpenedFrames<drivers::RingPort>& opened) {
  const drivers::PacketRing& ring = opened.frames.ring();
  return {{"ring_frames", ring.frames()}, {"transmit", ring.way() == drivers::TransmitWay::send ? "send" : "ring"}};
}

namespace {

Result<OpenedFrames<drivers::RingPort>> open_ring(const FrameRequest& request,
                                                  const drivers::FrameSelection& selection) {
  drivers::RingPlan plan;
  plan.way = request.options.transmit;
  plan.priority = request.options.marking.priority;
  auto ring = drivers::PacketRing::open(request.interface, selection, plan);
  if (!ring) {
    return ring.error();
  }
  return OpenedFrames<drivers::RingPort>{std::nullopt, drivers::RingPort(std::move(ring).value())};
}

}  // namespace

const FrameDriver ring_driver = frame_driver_of<&open_ring>();

}  // namespace rtecho::pair
