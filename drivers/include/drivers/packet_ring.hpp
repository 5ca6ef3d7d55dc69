// A packet socket (packet(7)) with its ring in shared memory, before the run: opened, filtered and bound by ordinary
// code. RingPort then takes it over.
//
// The ring has the layout TPACKET_V2, one frame a slot: version 3 hands over blocks, and a lone frame waits there for
// the block's timeout. The socket taps the interface: the kernel's own protocols see every frame too, so that for UDP
// either a ShadowSocket keeps the kernel quiet or the address is one that the kernel does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "drivers/frame_selection.hpp"
#include "drivers/interface.hpp"
#include "platform/descriptor.hpp"
#include "platform/memory.hpp"
#include "rt_core/result.hpp"

namespace rtecho::drivers {

enum class TransmitWay : std::uint8_t {
  send,  // one send() a frame, which the kernel copies
  ring,  // a copy of ours into a slot of a second ring, and one send() that makes the kernel look there
};

enum class TapPoint : std::uint8_t {
  before_protocols,  // bound to every EtherType: sees a frame before IPv4 does
  behind_protocols,  // bound to the selection's EtherType: sees a frame when the kernel's own protocols are done with
                     // it
};

struct RingPlan {
  static constexpr std::uint32_t frames_max = 4'096;

  std::uint32_t frames = 256;  // 1 … frames_max; rounded up to whole blocks of the kernel's
  TransmitWay way = TransmitWay::send;
  // `behind_protocols` is there to be measured. It shows no VLAN tags (the kernel has removed them by then, so that an
  // untagged selection takes tagged frames too) and is refused with a VLAN or an address of our own.
  TapPoint tap = TapPoint::before_protocols;
  std::optional<int> priority{};  // SO_PRIORITY, 0 … 6 without CAP_NET_ADMIN: the NIC's queue of what is sent
};

class PacketRing {
 public:
  // Before the frame in every slot: room for a VLAN tag, and so much that what follows the Ethernet header stays
  // aligned to 16 bytes.
  static constexpr std::uint32_t headroom_bytes = 16;

  // Takes frames from now on: nothing that came before is in the ring. Errors: `denied` without CAP_NET_RAW (or without
  // CAP_NET_ADMIN for a priority above 6), `not_found` when the interface has gone, `unsupported` for one that carries
  // no Ethernet, `failed` for one that is down, `invalid` for a plan outside its range or a selection whose local
  // address is no station's, `exhausted` without memory.
  static Result<PacketRing> open(const Interface& interface, const FrameSelection& selection,
                                 const RingPlan& plan = {});

  PacketRing(PacketRing&& other) noexcept;
  PacketRing& operator=(PacketRing&& other) noexcept;
  PacketRing(const PacketRing&) = delete;
  PacketRing& operator=(const PacketRing&) = delete;
  ~PacketRing() { unmap(); }

  // What the kernel granted: at least as many as were asked for. A transmit ring has as many slots of the same length.
  [[nodiscard]] std::uint32_t frames() const noexcept { return frames_; }
  [[nodiscard]] std::uint32_t slot_bytes() const noexcept { return slot_bytes_; }
  [[nodiscard]] TransmitWay way() const noexcept { return way_; }
  [[nodiscard]] std::uint32_t mtu() const noexcept { return mtu_; }
  [[nodiscard]] int descriptor() const noexcept { return socket_.number(); }

  // Slots begin with the kernel's header (struct tpacket2_hdr).
  [[nodiscard]] std::span<std::byte> receive_slot(std::uint32_t index) const noexcept {
    return slots_.subspan(std::size_t{index} * slot_bytes_, slot_bytes_);
  }
  [[nodiscard]] std::span<std::byte> transmit_slot(std::uint32_t index) const noexcept {
    return receive_slot(frames_ + index);
  }
  // Memory for one frame with a VLAN tag, of which the kernel knows nothing.
  [[nodiscard]] std::span<std::byte> staging() const noexcept { return staging_.bytes(); }

 private:
  PacketRing(platform::Descriptor socket, platform::MappedMemory staging) noexcept
      : socket_(std::move(socket)), staging_(std::move(staging)) {}
  [[nodiscard]] Result<void> map_rings(const RingPlan& plan) noexcept;
  void unmap() noexcept;

  platform::Descriptor socket_;
  platform::MappedMemory staging_;
  std::span<std::byte> slots_;
  std::uint32_t frames_ = 0;
  std::uint32_t slot_bytes_ = 0;
  std::uint32_t mtu_ = 0;
  TransmitWay way_ = TransmitWay::send;
};

}  // namespace rtecho::drivers
