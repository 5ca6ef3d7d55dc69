// Echo messages as datagrams of a connected UDP socket. One system call per message sent and one per look.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/address.hpp"
#include "drivers/udp_endpoint.hpp"
#include "platform/clock.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

class UdpSocketPort {
 public:
  // What the port needs for messages of every size: one buffer to receive into, one to send from.
  static constexpr std::size_t memory_bytes = 2 * limits::message_buffer_bytes;

  // The endpoint must be connected. Half of `memory` (best page aligned, locked and touched) receives, the other half
  // sends; a datagram longer than a half arrives truncated. The memory must outlive the port.
  UdpSocketPort(UdpEndpoint endpoint, std::span<std::byte> memory) noexcept;

  [[nodiscard]] Instant now() noexcept { return platform::MonotonicClock::now(); }

  // One datagram a look, so that each has a stamp of its own. An empty datagram is an arrival of 0 bytes.
  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept;

  SendOutcome reply(const Arrival& arrival) noexcept { return transmit(arrival.bytes); }
  void release(const Arrival&) noexcept {}  // the one receive buffer is free again at the next look

  // The kernel copies what is sent: the memory is free again when `send` returns.
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept;
  SendOutcome send(std::span<std::byte> frame) noexcept { return transmit(frame); }

  // Blocks until a datagram comes, but never longer than about 20 ms, so that the loop sees its stop flag. Counts as
  // a look at the port: where `until` is 16 ms away or more the datagram is received here already, so that a message
  // costs a blocking program one system call and not two; the next `receive` hands it out.
  void wait(Instant until) noexcept;

  [[nodiscard]] PortCapabilities capabilities() const noexcept;
  [[nodiscard]] PortHealth health() const noexcept { return PortHealth::open; }  // UDP has no connection to lose
  // Asks the kernel for the datagrams that found the receive buffer full: one system call.
  [[nodiscard]] PortCounters counters() const noexcept;
  // What the socket was granted.
  [[nodiscard]] const UdpEndpoint& endpoint() const noexcept { return endpoint_; }

 private:
  [[nodiscard]] bool take_datagram(int flags) noexcept;
  SendOutcome transmit(std::span<const std::byte> message) noexcept;

  UdpEndpoint endpoint_;
  int socket_;  // the endpoint's
  std::span<std::byte> receive_memory_;
  std::span<std::byte> transmit_memory_;
  std::size_t datagram_bytes_ = 0;    // of the datagram in receive_memory_; more than fits when it was truncated
  bool is_waiting_datagram_ = false;  // wait() received it and no receive() has handed it out yet
  PortCounters counters_;
};

static_assert(MessagePort<UdpSocketPort>);

}  // namespace rtecho::drivers
