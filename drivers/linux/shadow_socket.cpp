#include "drivers/shadow_socket.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "platform/os_error.hpp"
#include "socket_calls.hpp"

namespace rtecho::drivers {

namespace {

sockaddr_in to_ipv4_socket_address(const Ipv4Endpoint& endpoint) noexcept {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(endpoint.address);
  address.sin_port = htons(endpoint.port);
  return address;
}

}  // namespace

Result<ShadowSocket> ShadowSocket::bind(const Ipv4Endpoint& local) noexcept {
  Result<platform::Descriptor> opened = open_socket(IpVersion::ipv4, SOCK_DGRAM);
  if (!opened) {
    return opened.error();
  }
  platform::Descriptor socket = std::move(opened).value();
  // Before the address: not one datagram is to be queued.
  sock_filter drop{};
  drop.code = BPF_RET | BPF_K;
  sock_fprog program{};
  program.len = 1;
  program.filter = &drop;
  if (::setsockopt(socket.number(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0) {
    return platform::os_error(errno, "making a UDP socket deaf");
  }
  const sockaddr_in from = to_ipv4_socket_address(local);
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&from), sizeof(from)) != 0) {
    return platform::os_error(errno, "binding the UDP socket beside a ring");
  }
  const Result<Address> bound = local_address(socket.number());
  if (!bound) {
    return bound.error();
  }
  return ShadowSocket(std::move(socket), bound.value().port());
}

Result<void> ShadowSocket::connect(const Ipv4Endpoint& peer) noexcept {
  const sockaddr_in to = to_ipv4_socket_address(peer);
  if (::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) {
    return platform::os_error(errno, "connecting the UDP socket beside a ring");
  }
  return {};
}

}  // namespace rtecho::drivers
