// The seam between protocols that are made of Ethernet frames and the ways a frame travels: rings, captures, AF_XDP, a
// NIC of our own. The same calls as MessagePort, one layer below: a protocol (EthernetRawPort, EthernetUdpPort) is a
// template over a FramePort, and is itself a MessagePort.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

// What the driver knows of the TCP or UDP checksum inside a frame.
enum class ChecksumState : std::uint8_t {
  unknown,   // as on a wire: it has to be looked at
  partial,   // the sender left it to its NIC, which was a virtual one: it holds the sum of the pseudo header only
  verified,  // the NIC or the kernel has found it right
};

// A frame that a look at the port brought. The bytes belong to the port; they are valid until the arrival is answered,
// released, or the port is looked at again, whichever comes first.
struct FrameArrival {
  std::span<std::byte> bytes{};  // from the destination address on, without the check sequence
  std::uint32_t slot = 0;        // the port's own handle for the memory behind `bytes`
  bool truncated = false;        // the frame was longer than the port's slots: `bytes` is its beginning
  bool tag_was_stripped = false;
  std::uint16_t stripped_tag = 0;  // the control information of the VLAN tag that the NIC or the kernel took out
  ChecksumState checksum = ChecksumState::unknown;
};

struct FrameCapabilities {
  std::uint32_t frame_bytes_max = 0;  // header of 14 bytes and the interface's MTU; a VLAN tag may come on top
  std::uint32_t receive_batch_max = 1;
  std::uint32_t headroom_bytes = 0;  // writable bytes before those of an arrival: a reply may begin there
  bool reply_copies = false;         // a reply copies once because the kernel owns the frames
};

// `receive` never blocks and brings no frame that this end sent itself. Each arrival is answered or released exactly
// once; `reply` sends `frame`, which lies within the arrival's memory and its headroom. `acquire` lends one frame at a
// time: until it is sent, the same memory is handed out again. `wait` as in MessagePort. No member allocates, locks,
// prints or throws.
template <typename P>
concept FramePort = requires(P port, const P& view, std::span<FrameArrival> arrivals, const FrameArrival& arrival,
                             std::size_t bytes, std::span<std::byte> frame, Instant until) {
  { port.now() }
  noexcept->std::same_as<Instant>;
  // Fills at most arrivals.size() entries and returns how many.
  { port.receive(arrivals) }
  noexcept->std::same_as<std::size_t>;
  { port.reply(arrival, frame) }
  noexcept->std::same_as<SendOutcome>;
  { port.release(arrival) }
  noexcept;
  // Memory for one frame of this length; empty when none is free. Offered to `send` until it is taken.
  { port.acquire(bytes) }
  noexcept->std::same_as<std::span<std::byte>>;
  { port.send(frame) }
  noexcept->std::same_as<SendOutcome>;
  { port.wait(until) }
  noexcept;
  { view.capabilities() }
  noexcept->std::same_as<FrameCapabilities>;
  { view.health() }
  noexcept->std::same_as<PortHealth>;
  { view.counters() }
  noexcept->std::same_as<PortCounters>;
};

}  // namespace rtecho
