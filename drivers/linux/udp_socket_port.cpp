#include "drivers/udp_socket_port.hpp"

#include <linux/sock_diag.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <utility>

#include "rt_core/assert.hpp"
#include "socket_calls.hpp"

namespace rtecho::drivers {

namespace {

constexpr std::size_t message_bytes_max_udp_ipv6 = 65'527;  // 65,535 - 8 (UDP); the IPv6 header does not count

}  // namespace

UdpSocketPort::UdpSocketPort(UdpEndpoint endpoint, std::span<std::byte> memory) noexcept
    : endpoint_(std::move(endpoint)),
      socket_(endpoint_.descriptor()),
      receive_memory_(memory.first(memory.size() / 2)),
      transmit_memory_(memory.subspan(memory.size() / 2)) {
  RTECHO_ASSERT(endpoint_.is_connected() && !receive_memory_.empty());
}

std::size_t UdpSocketPort::receive(std::span<Arrival> arrivals) noexcept {
  if (arrivals.empty() || (!is_waiting_datagram_ && !take_datagram(MSG_DONTWAIT))) {
    return 0;
  }
  is_waiting_datagram_ = false;
  const bool truncated = datagram_bytes_ > receive_memory_.size();
  if (truncated) {
    ++counters_.truncated;
  }
  arrivals[0] =
      Arrival{.bytes = truncated ? receive_memory_ : receive_memory_.first(datagram_bytes_), .truncated = truncated};
  return 1;
}

// MSG_TRUNC makes the kernel return the datagram's own length, also where it is longer than the buffer (udp(7)).
bool UdpSocketPort::take_datagram(int flags) noexcept {
  const ssize_t bytes = ::recv(socket_, receive_memory_.data(), receive_memory_.size(), flags | MSG_TRUNC);
  if (bytes >= 0) {
    datagram_bytes_ = static_cast<std::size_t>(bytes);
    return true;
  }
  if (is_unreachable(errno)) {
    ++counters_.peer_unreachable;
  } else if (errno != EAGAIN && errno != EINTR) {
    ++counters_.receive_failed;
  }
  return false;  // whatever it was, the next look tries again
}

std::span<std::byte> UdpSocketPort::acquire(std::size_t bytes) noexcept {
  return bytes <= transmit_memory_.size() ? transmit_memory_.first(bytes) : std::span<std::byte>{};
}

SendOutcome UdpSocketPort::transmit(std::span<const std::byte> message) noexcept {
  // A pending ICMP error belongs to an earlier message and is reported once, by whichever call comes next: the second
  // attempt is this message's own.
  constexpr int attempts = 2;
  for (int i = 0; i < attempts; ++i) {
    if (::send(socket_, message.data(), message.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) {
      return SendOutcome::sent;
    }
    if (errno == EAGAIN) {
      ++counters_.send_would_block;
      return SendOutcome::would_block;
    }
    if (errno == ENOBUFS || errno == ENOMEM) {
      ++counters_.send_no_buffer;
      return SendOutcome::would_block;
    }
    if (is_unreachable(errno)) {
      ++counters_.peer_unreachable;
    }
  }
  ++counters_.send_failed;
  return SendOutcome::failed;
}

void UdpSocketPort::wait(Instant until) noexcept {
  if (is_waiting_datagram_) {
    return;
  }
  const Duration left = until - now();
  if (left >= blocking_receive_from) {
    is_waiting_datagram_ = take_datagram(0);
  } else if (left > Duration{}) {
    wait_ready(socket_, POLLIN, left);
  }
}

PortCounters UdpSocketPort::counters() const noexcept {
  PortCounters counters = counters_;
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  socklen_t length = sizeof(memory);
  if (::getsockopt(socket_, SOL_SOCKET, SO_MEMINFO, memory.data(), &length) == 0) {
    counters.receive_overruns = memory[SK_MEMINFO_DROPS];
  }
  return counters;
}

PortCapabilities UdpSocketPort::capabilities() const noexcept {
  const std::size_t protocol_max =
      endpoint_.local().version() == IpVersion::ipv4 ? limits::message_bytes_max_udp_ipv4 : message_bytes_max_udp_ipv6;
  const std::size_t bytes_max = protocol_max < transmit_memory_.size() ? protocol_max : transmit_memory_.size();
  return {.message_bytes_max = static_cast<std::uint32_t>(bytes_max), .receive_batch_max = 1};
}

}  // namespace rtecho::drivers
