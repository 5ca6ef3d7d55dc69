// The seam between the loops and the ways a message travels. A loop (EchoServer, EchoClient) has one template
// parameter, its port; there is no virtual call between a step and the system call that moves the bytes.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/time.hpp"

namespace rtecho {

// A message that a look at the port brought. The bytes belong to the port; they are valid until the arrival is
// answered, released, or the port is looked at again, whichever comes first.
struct Arrival {
  std::span<std::byte> bytes{};
  std::uint32_t slot = 0;  // the port's own handle for the memory behind `bytes`
  bool truncated = false;  // the message was longer than the port's buffer: `bytes` is its beginning
};

enum class SendOutcome : std::uint8_t {
  sent,         // handed over; the port may still have to push out the rest of a stream message
  would_block,  // nothing was taken: the frame is kept and may be offered again
  failed,       // nothing was taken and trying again is pointless (see PortCounters for the cause)
};

enum class PortHealth : std::uint8_t {
  open,
  peer_closed,     // end of stream, reset, or the interface went away
  desynchronised,  // a stream whose cuts no longer fall on messages
  stalled,         // the peer has not read for the write deadline
  failed,
};

// Mishaps that a port turns into counters, named after their causes.
struct PortCounters {
  std::uint64_t truncated = 0;         // message longer than the buffer
  std::uint64_t peer_unreachable = 0;  // ICMP unreachable or refused, reported by the socket
  std::uint64_t send_would_block = 0;  // socket or ring full
  std::uint64_t send_no_buffer = 0;    // ENOBUFS and its like
  std::uint64_t send_failed = 0;
  std::uint64_t receive_failed = 0;
  std::uint64_t partial_sends = 0;     // stream writes that took only part of a message
  std::uint64_t partial_receives = 0;  // stream reads that ended inside a message
  std::uint64_t receive_overruns = 0;  // lost here because the socket's buffer or the ring was full
  std::uint64_t link_down = 0;         // attempts to send while the link was down

  // Frame drivers: frames that never became messages.
  std::uint64_t foreign_frames = 0;    // of another station, VLAN, protocol or peer
  std::uint64_t malformed_frames = 0;  // headers that lie, fragments, options
  std::uint64_t checksum_wrong = 0;
  std::uint64_t checksum_partial = 0;   // taken although the sender had left the checksum to its (virtual) NIC
  std::uint64_t requests_answered = 0;  // ARP and ping, for an address that the kernel does not hold

  // Of a port and of the one below it.
  friend constexpr PortCounters operator+(PortCounters a, const PortCounters& b) {
    a.truncated += b.truncated;
    a.peer_unreachable += b.peer_unreachable;
    a.send_would_block += b.send_would_block;
    a.send_no_buffer += b.send_no_buffer;
    a.send_failed += b.send_failed;
    a.receive_failed += b.receive_failed;
    a.partial_sends += b.partial_sends;
    a.partial_receives += b.partial_receives;
    a.receive_overruns += b.receive_overruns;
    a.link_down += b.link_down;
    a.foreign_frames += b.foreign_frames;
    a.malformed_frames += b.malformed_frames;
    a.checksum_wrong += b.checksum_wrong;
    a.checksum_partial += b.checksum_partial;
    a.requests_answered += b.requests_answered;
    return a;
  }
};

struct PortCapabilities {
  std::uint32_t message_bytes_max = 0;
  std::uint32_t receive_batch_max = 1;  // most arrivals of one look
  bool reply_copies = false;            // a reply copies once because the kernel owns the frames
  bool stream = false;                  // ordered and lossless while open
};

// `now` is the loop's clock. `receive` never blocks. Each arrival is answered or released exactly once. `wait` counts
// as a look at the port, ends the life of earlier arrivals, and returns at the latest at `until`, earlier when
// something may have arrived; it may return early for no reason. No member allocates, locks, prints or throws.
template <typename P>
concept MessagePort = requires(P port, const P& view, std::span<Arrival> arrivals, const Arrival& arrival,
                               std::size_t bytes, std::span<std::byte> frame, Instant until) {
  { port.now() }
  noexcept->std::same_as<Instant>;
  // Fills at most arrivals.size() entries and returns how many.
  { port.receive(arrivals) }
  noexcept->std::same_as<std::size_t>;
  // Sends the arrival's bytes back where they came from and gives the memory back, also when it failed.
  { port.reply(arrival) }
  noexcept->std::same_as<SendOutcome>;
  // Gives the memory back without an answer.
  { port.release(arrival) }
  noexcept;
  // Memory for one message of this length; empty when none is free. Offered to `send` until it is taken.
  { port.acquire(bytes) }
  noexcept->std::same_as<std::span<std::byte>>;
  { port.send(frame) }
  noexcept->std::same_as<SendOutcome>;
  { port.wait(until) }
  noexcept;
  { view.capabilities() }
  noexcept->std::same_as<PortCapabilities>;
  { view.health() }
  noexcept->std::same_as<PortHealth>;
  { view.counters() }
  noexcept->std::same_as<PortCounters>;
};

}  // namespace rtecho
