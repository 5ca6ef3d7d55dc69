// A TCP peer that says what it likes, byte by byte. The other end's classes are what is tested with it.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "drivers/address.hpp"
#include "platform/descriptor.hpp"

namespace rtecho::drivers::test {

class RawStream {
 public:
  // Connects from the loopback address 127.0.0.`last_byte` to 127.0.0.1.
  explicit RawStream(const Address& server, std::uint8_t last_byte = 1)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const sockaddr_in from = loopback(last_byte, 0);
    const sockaddr_in to = loopback(1, server.port());
    const int on = 1;
    is_connected_ = ::setsockopt(socket_.number(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0 &&
                    ::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&from), sizeof(from)) == 0 &&
                    ::connect(socket_.number(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
  }

  [[nodiscard]] bool is_connected() const { return is_connected_; }

  bool send(std::span<const std::byte> bytes) {
    return ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  bool send(std::initializer_list<int> bytes) {
    std::vector<std::byte> copy;
    for (const int byte : bytes) {
      copy.push_back(static_cast<std::byte>(byte));
    }
    return send(copy);
  }

  // Exactly `count` bytes, fewer where they do not come within a second.
  std::vector<std::byte> receive(std::size_t count) {
    std::vector<std::byte> bytes(count);
    std::size_t received = 0;
    while (received < count && is_readable(1'000)) {
      const ssize_t taken = ::recv(socket_.number(), bytes.data() + received, count - received, 0);
      if (taken <= 0) {
        break;
      }
      received += static_cast<std::size_t>(taken);
    }
    bytes.resize(received);
    return bytes;
  }

  // The other end has closed or reset the connection by then.
  bool is_closed_within(int milliseconds) {
    std::byte byte{};
    return is_readable(milliseconds) && ::recv(socket_.number(), &byte, 1, MSG_DONTWAIT) <= 0;
  }

  // Closes with a reset instead of an end of stream.
  void reset() {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    (void)::setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    socket_.close();
  }
  void end_stream() { (void)::shutdown(socket_.number(), SHUT_WR); }

 private:
  static sockaddr_in loopback(std::uint8_t last_byte, std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(0x7F00'0000U | last_byte);
    return address;
  }
  bool is_readable(int milliseconds) const {
    pollfd entry{.fd = socket_.number(), .events = POLLIN, .revents = 0};
    return ::poll(&entry, 1, milliseconds) > 0;
  }

  platform::Descriptor socket_;
  bool is_connected_ = false;
};

// "RTECHO", 0, 1, and session 0x1122334455667788.
inline constexpr std::uint64_t test_session = 0x1122'3344'5566'7788;
inline constexpr std::array<std::byte, 16> test_preamble{
    std::byte{0x52}, std::byte{0x54}, std::byte{0x45}, std::byte{0x43}, std::byte{0x48}, std::byte{0x4F},
    std::byte{0x00}, std::byte{0x01}, std::byte{0x11}, std::byte{0x22}, std::byte{0x33}, std::byte{0x44},
    std::byte{0x55}, std::byte{0x66}, std::byte{0x77}, std::byte{0x88}};

}  // namespace rtecho::drivers::test
