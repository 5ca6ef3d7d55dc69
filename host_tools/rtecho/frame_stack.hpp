// Ports over any frame driver, stacked: the frames, a protocol over them, and between them the capture where one was
// asked for. Included by ring_ports.cpp and its like.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "data_port_of.hpp"
#include "frame_ports.hpp"

namespace rtecho::pair {

template <typename Frames, template <typename> typename Protocol>
struct FrameStack {
  template <typename Plan>
  FrameStack(Frames opened, const Plan& plan, std::optional<drivers::ShadowSocket> kept)
      : shadow(std::move(kept)), frames(std::move(opened)), port(frames, plan) {}

  std::optional<drivers::ShadowSocket> shadow;
  Frames frames;
  Protocol<Frames> port;
};

template <template <typename> typename Protocol, typename Frames, typename Plan>
Result<std::unique_ptr<DataPort>> stack_frames(Result<Frames> frames, const Plan& plan,
                                               std::optional<drivers::ShadowSocket> shadow) {
  if (!frames) {
    return frames.error();
  }
  return std::unique_ptr<DataPort>(
      std::make_unique<DataPortOf<FrameStack<Frames, Protocol>>>(std::move(frames).value(), plan, std::move(shadow)));
}

// An address of our own begins to exist with the port that answers for it.
template <FramePort Frames>
void announce(Result<Frames>& frames, const drivers::EthernetUdpPlan& plan) {
  if (frames && plan.session.own_address) {
    drivers::announce_address(frames.value(), plan.local_mac, plan.session.local.address, plan.tag);
  }
}

[[nodiscard]] inline drivers::FrameSelection selection_of(const FrameRequest& request,
                                                          std::optional<drivers::UdpSelection> udp) {
  drivers::FrameSelection selection{.local = request.interface.mac, .vlan_id = std::nullopt, .udp = udp};
  if (request.options.vlan) {
    selection.vlan_id = request.options.vlan->id;
  }
  return selection;
}

// The selection that brings nothing but the ARP packets of this address.
[[nodiscard]] inline drivers::UdpSelection address_only(std::uint32_t address) {
  return {.local = {address, 0}, .peer = {}, .own_address = true};
}

}  // namespace rtecho::pair
