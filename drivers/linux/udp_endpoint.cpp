#include "drivers/udp_endpoint.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "platform/clock.hpp"
#include "platform/os_error.hpp"
#include "rt_core/assert.hpp"
#include "socket_calls.hpp"

namespace rtecho::drivers {

namespace {

// A window of 64 messages of 64 KiB with the kernel's bookkeeping, which can be as large as the bytes themselves.
constexpr int buffer_bytes_asked = 8 * 1024 * 1024;

// The forced option passes net.core.[rw]mem_max and needs CAP_NET_ADMIN; the plain one is cut to that limit in
// silence (socket(7)). So what counts is what is read back.
Result<std::uint32_t> raise_buffer(int socket, int forced_option, int option) noexcept {
  if (!set_option(socket, SOL_SOCKET, forced_option, buffer_bytes_asked, "forcing a socket buffer")) {
    const Result<void> done = set_option(socket, SOL_SOCKET, option, buffer_bytes_asked, "raising a socket buffer");
    if (!done) {
      return done.error();
    }
  }
  int granted = 0;
  socklen_t length = sizeof(granted);
  if (::getsockopt(socket, SOL_SOCKET, option, &granted, &length) != 0) {
    return platform::os_error(errno, "reading the size of a socket buffer back");
  }
  return static_cast<std::uint32_t>(granted);
}

// Throws away what is queued. Bounded, because a peer may send as fast as it is read; a socket buffer of 16 MiB holds
// fewer datagrams than this.
void drain(int socket) noexcept {
  constexpr int datagrams_max = 65'536;
  std::byte first{};
  for (int i = 0; i < datagrams_max; ++i) {
    if (::recv(socket, &first, sizeof(first), MSG_DONTWAIT) < 0 && errno == EAGAIN) {
      return;
    }
  }
}

}  // namespace

Result<UdpEndpoint> UdpEndpoint::bind(const Address& local, const SocketMarking& marking) noexcept {
  Result<platform::Descriptor> socket = open_socket(local.version(), SOCK_DGRAM);
  if (!socket) {
    return socket.error();
  }
  UdpEndpoint endpoint(std::move(socket).value());
  if (const Result<void> done = endpoint.set_options(local.version()); !done) {
    return done.error();
  }
  if (const Result<void> done = mark_socket(endpoint.descriptor(), local.version(), marking); !done) {
    return done.error();
  }
  const SocketAddress address = to_socket_address(local);
  if (::bind(endpoint.descriptor(), address.get(), address.length) != 0) {
    return platform::os_error(errno, "binding a UDP socket");
  }
  const Result<Address> bound = local_address(endpoint.descriptor());
  if (!bound) {
    return bound.error();
  }
  endpoint.local_ = bound.value();
  return endpoint;
}

Result<void> UdpEndpoint::set_options(IpVersion version) noexcept {
  const int socket = socket_.number();
  // WANT sets "don't fragment" on what fits the path's MTU and lets the kernel fragment what does not. DO would refuse
  // the latter, DONT would let a router fragment the former unseen.
  const Result<void> discovery =
      version == IpVersion::ipv4
          ? set_option(socket, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_WANT, "choosing how messages are fragmented")
          : set_option(socket, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_WANT,
                       "choosing how messages are fragmented");
  if (!discovery) {
    return discovery.error();
  }
  if (const Result<void> done = set_timeout(socket, SO_RCVTIMEO, receive_timeout, "bounding a receive"); !done) {
    return done.error();
  }
  const Result<std::uint32_t> receive_buffer = raise_buffer(socket, SO_RCVBUFFORCE, SO_RCVBUF);
  if (!receive_buffer) {
    return receive_buffer.error();
  }
  const Result<std::uint32_t> send_buffer = raise_buffer(socket, SO_SNDBUFFORCE, SO_SNDBUF);
  if (!send_buffer) {
    return send_buffer.error();
  }
  receive_buffer_bytes_ = receive_buffer.value();
  send_buffer_bytes_ = send_buffer.value();
  return {};
}

Result<void> UdpEndpoint::connect(const Address& peer) noexcept {
  const SocketAddress address = to_socket_address(peer);
  if (::connect(descriptor(), address.get(), address.length) != 0) {
    return platform::os_error(errno, "connecting a UDP socket");
  }
  // A socket that was bound to any address has one of its own now.
  const Result<Address> bound = local_address(descriptor());
  if (!bound) {
    return bound.error();
  }
  local_ = bound.value();
  is_connected_ = true;
  drain(descriptor());
  return {};
}

Result<void> UdpEndpoint::send(std::span<const std::byte> datagram) noexcept {
  RTECHO_ASSERT(is_connected_);
  constexpr int attempts = 3;  // the first may meet an earlier datagram's ICMP error, or a signal
  int os_code = 0;
  for (int i = 0; i < attempts; ++i) {
    if (::send(descriptor(), datagram.data(), datagram.size(), MSG_NOSIGNAL) >= 0) {
      return {};
    }
    os_code = errno;
    if (os_code != EINTR && !is_unreachable(os_code)) {
      break;
    }
  }
  return platform::os_error(os_code, "sending a UDP datagram");
}

Result<std::size_t> UdpEndpoint::receive(std::span<std::byte> buffer, Duration timeout) noexcept {
  RTECHO_ASSERT(is_connected_);
  const Instant deadline = platform::MonotonicClock::now() + timeout;
  for (Duration left = timeout; left > Duration{}; left = deadline - platform::MonotonicClock::now()) {
    if (!wait_ready(descriptor(), POLLIN, left)) {
      continue;
    }
    const ssize_t bytes = ::recv(descriptor(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (bytes >= 0) {
      return static_cast<std::size_t>(bytes);
    }
    if (errno != EAGAIN && errno != EINTR && !is_unreachable(errno)) {
      return platform::os_error(errno, "receiving a UDP datagram");
    }
  }
  return Error{Status::timed_out, 0, "waiting for a UDP datagram"};
}

}  // namespace rtecho::drivers
