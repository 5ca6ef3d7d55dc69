#include "socket_calls.hpp"

#include <netinet/in.h>
#include <poll.h>
#include <sys/time.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "platform/os_error.hpp"

namespace rtecho::drivers {

SocketAddress to_socket_address(const Address& address) noexcept {
  SocketAddress result;
  if (address.version() == IpVersion::ipv4) {
    sockaddr_in ipv4{};
    ipv4.sin_family = AF_INET;
    ipv4.sin_port = htons(address.port());
    std::memcpy(&ipv4.sin_addr, address.bytes().data(), sizeof(ipv4.sin_addr));
    std::memcpy(&result.storage, &ipv4, sizeof(ipv4));
    result.length = sizeof(ipv4);
  } else {
    sockaddr_in6 ipv6{};
    ipv6.sin6_family = AF_INET6;
    ipv6.sin6_port = htons(address.port());
    ipv6.sin6_scope_id = address.scope_id();
    std::memcpy(&ipv6.sin6_addr, address.bytes().data(), sizeof(ipv6.sin6_addr));
    std::memcpy(&result.storage, &ipv6, sizeof(ipv6));
    result.length = sizeof(ipv6);
  }
  return result;
}

Address from_socket_address(const SocketAddress& address) noexcept {
  Address::Bytes bytes{};
  if (address.storage.ss_family == AF_INET) {
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, &address.storage, sizeof(ipv4));
    std::memcpy(bytes.data(), &ipv4.sin_addr, sizeof(ipv4.sin_addr));
    return {IpVersion::ipv4, bytes, ntohs(ipv4.sin_port), 0};
  }
  sockaddr_in6 ipv6{};
  std::memcpy(&ipv6, &address.storage, sizeof(ipv6));
  std::memcpy(bytes.data(), &ipv6.sin6_addr, sizeof(ipv6.sin6_addr));
  return {IpVersion::ipv6, bytes, ntohs(ipv6.sin6_port), ipv6.sin6_scope_id};
}

Result<Address> local_address(int socket) noexcept {
  SocketAddress address;
  if (::getsockname(socket, address.get(), &address.length) != 0) {
    return platform::os_error(errno, "asking for the socket's own address");
  }
  return from_socket_address(address);
}

Result<platform::Descriptor> open_socket(IpVersion version, int type) noexcept {
  const bool is_ipv6 = version == IpVersion::ipv6;
  platform::Descriptor socket(::socket(is_ipv6 ? AF_INET6 : AF_INET, type | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    return platform::os_error(errno, "opening a socket");
  }
  if (is_ipv6) {
    const Result<void> done = set_option(socket.number(), IPPROTO_IPV6, IPV6_V6ONLY, 1, "keeping IPv4 off a socket");
    if (!done) {
      return done.error();
    }
  }
  return socket;
}

Result<void> set_option(int socket, int level, int option, int value, const char* context) noexcept {
  if (::setsockopt(socket, level, option, &value, sizeof(value)) != 0) {
    return platform::os_error(errno, context);
  }
  return {};
}

Result<void> mark_socket(int socket, IpVersion version, const SocketMarking& marking) noexcept {
  if (!marking.device.empty() && ::setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, marking.device.c_str(),
                                              static_cast<socklen_t>(marking.device.size())) != 0) {
    return platform::os_error(errno, "binding a socket to its device");
  }
  if (marking.differentiated_services) {
    const int traffic_class = *marking.differentiated_services << 2;
    const Result<void> done =
        version == IpVersion::ipv4
            ? set_option(socket, IPPROTO_IP, IP_TOS, traffic_class, "setting the code point of a socket")
            : set_option(socket, IPPROTO_IPV6, IPV6_TCLASS, traffic_class, "setting the code point of a socket");
    if (!done) {
      return done.error();
    }
  }
  // Last, because the code point brings a priority of its own (ip(7)).
  if (marking.priority) {
    return set_option(socket, SOL_SOCKET, SO_PRIORITY, *marking.priority,
                      "setting the priority of a socket (above 6 it needs CAP_NET_ADMIN)");
  }
  return {};
}

Result<void> set_timeout(int socket, int option, Duration timeout, const char* context) noexcept {
  timeval value{};
  value.tv_sec = timeout.ns() / 1'000'000'000;
  value.tv_usec = timeout.ns() % 1'000'000'000 / 1'000;
  if (::setsockopt(socket, SOL_SOCKET, option, &value, sizeof(value)) != 0) {
    return platform::os_error(errno, context);
  }
  return {};
}

bool wait_ready(int socket, short events, Duration longest) noexcept {
  pollfd entry{};
  entry.fd = socket;
  entry.events = events;
  timespec timeout{};
  timeout.tv_sec = longest.ns() / 1'000'000'000;
  timeout.tv_nsec = longest.ns() % 1'000'000'000;
  return ::ppoll(&entry, 1, &timeout, nullptr) > 0;
}

bool is_unreachable(int os_code) noexcept {
  return os_code == ECONNREFUSED || os_code == EHOSTUNREACH || os_code == ENETUNREACH || os_code == EHOSTDOWN ||
         os_code == ENOPROTOOPT;
}

}  // namespace rtecho::drivers
