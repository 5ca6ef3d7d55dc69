// Ports over any frame driver, stacked: the frames, a protocol over them, and between them the trace where a capture
// was asked for. Included by ring_ports.cpp and libpcap_present.cpp, which know how frames of their kind are opened.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "data_port_of.hpp"
#include "drivers/trace_port.hpp"
#include "frame_ports.hpp"
#include "libpcap.hpp"
#include "platform/memory.hpp"
#include "rt_core/frame_block.hpp"

namespace rtecho::pair {

// A frame port with the memory that it was given. `nlohmann::json facts_of(const OpenedFrames<…>&)`, beside the
// function that opens one, says in the words of the run file what was granted.
template <typename Frames>
struct OpenedFrames {
  std::optional<platform::MappedMemory> memory;
  Frames frames;
};

template <typename Frames, template <typename> typename Protocol>
struct FrameStack {
  template <typename Plan>
  FrameStack(OpenedFrames<Frames> frames, const Plan& plan, std::optional<drivers::ShadowSocket> kept)
      : shadow(std::move(kept)), opened(std::move(frames)), port(opened.frames, plan) {}

  [[nodiscard]] nlohmann::json more_facts() const { return facts_of(opened); }

  std::optional<drivers::ShadowSocket> shadow;
  OpenedFrames<Frames> opened;
  Protocol<Frames> port;
};

template <typename Frames, template <typename> typename Protocol>
struct TracedFrameStack {
  using Trace = drivers::TracePort<Frames>;
  static constexpr std::size_t bytes_kept_of_a_frame = 256;

  template <typename Plan>
  TracedFrameStack(OpenedFrames<Frames> frames, platform::MappedMemory mapped, const FrameRequest& request,
                   const Plan& plan, std::optional<drivers::ShadowSocket> kept)
      : shadow(std::move(kept)),
        opened(std::move(frames)),
        path(request.capture_path),
        memory(std::move(mapped)),
        trace(opened.frames, request.shape, FrameBlock(memory.bytes(), Trace::slots, bytes_kept_of_a_frame)),
        port(trace, plan) {}

  [[nodiscard]] nlohmann::json more_facts() const { return facts_of(opened); }
  std::optional<std::string> write_capture() { return libpcap::write_capture(path, trace.kept()); }

  std::optional<drivers::ShadowSocket> shadow;
  OpenedFrames<Frames> opened;
  std::string path;
  platform::MappedMemory memory;
  Trace trace;
  Protocol<Trace> port;
};

template <template <typename> typename Protocol, typename Frames, typename Plan>
Result<std::unique_ptr<DataPort>> stack_frames(Result<OpenedFrames<Frames>> opened, const FrameRequest& request,
                                               const Plan& plan, std::optional<drivers::ShadowSocket> shadow) {
  if (!opened) {
    return opened.error();
  }
  if (request.capture_path.empty()) {
    return std::unique_ptr<DataPort>(
        std::make_unique<DataPortOf<FrameStack<Frames, Protocol>>>(std::move(opened).value(), plan, std::move(shadow)));
  }
  using Traced = TracedFrameStack<Frames, Protocol>;
  auto memory = platform::MappedMemory::map(FrameBlock::bytes_for(Traced::Trace::slots, Traced::bytes_kept_of_a_frame));
  if (!memory) {
    return memory.error();
  }
  return std::unique_ptr<DataPort>(std::make_unique<DataPortOf<Traced>>(
      std::move(opened).value(), std::move(memory).value(), request, plan, std::move(shadow)));
}

[[nodiscard]] inline drivers::FrameSelection selection_of(const FrameRequest& request,
                                                          std::optional<drivers::UdpSelection> udp) {
  drivers::FrameSelection selection{.local = request.interface.mac, .vlan_id = std::nullopt, .udp = udp};
  if (request.options.vlan) {
    selection.vlan_id = request.options.vlan->id;
  }
  return selection;
}

// `Open`: Result<OpenedFrames<…>>(const FrameRequest&, const FrameSelection&), the one thing that is a driver's own.
template <auto Open>
struct FrameDriverOf {
  static Result<std::unique_ptr<DataPort>> open_ethernet(const FrameRequest& request,
                                                         const drivers::EthernetRawPlan& plan) {
    return stack_frames<drivers::EthernetRawPort>(Open(request, selection_of(request, std::nullopt)), request, plan,
                                                  std::nullopt);
  }

  static Result<std::unique_ptr<DataPort>> open_udp(const FrameRequest& request, const drivers::EthernetUdpPlan& plan,
                                                    std::optional<drivers::ShadowSocket> shadow) {
    auto opened = Open(request, selection_of(request, plan.session));
    if (opened && plan.session.own_address) {
      // An address of our own begins to exist with the port that answers for it.
      drivers::announce_address(opened.value().frames, plan.local_mac, plan.session.local.address, plan.tag);
    }
    return stack_frames<drivers::EthernetUdpPort>(std::move(opened), request, plan, std::move(shadow));
  }

  static Result<std::optional<MacAddress>> ask_for_station(const FrameRequest& request,
                                                           const drivers::AddressQuestion& question) {
    // Brings nothing but the ARP packets of this address.
    const drivers::UdpSelection address_only{
        .local = {*request.options.own_address, 0}, .peer = {}, .own_address = true};
    auto opened = Open(request, selection_of(request, address_only));
    if (!opened) {
      return opened.error();
    }
    return drivers::ask_for_station(opened.value().frames, question);
  }
};

template <auto Open>
constexpr FrameDriver frame_driver_of() {
  using Functions = FrameDriverOf<Open>;
  return {&Functions::open_ethernet, &Functions::open_udp, &Functions::ask_for_station};
}

}  // namespace rtecho::pair
