// An IPv4 or IPv6 address with its port and, for link-local IPv6, its scope. Numbers only: names are not looked up,
// because a measurement that may go to one of several hosts measures none of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "drivers/fragments.hpp"
#include "rt_core/result.hpp"

namespace rtecho::drivers {

class Address {
 public:
  // Network byte order; IPv4 uses the first four bytes.
  using Bytes = std::array<std::byte, 16>;

  // 0.0.0.0, port 0.
  Address() = default;
  Address(IpVersion version, const Bytes& bytes, std::uint16_t port, std::uint32_t scope_id);

  // "10.0.0.1", "10.0.0.1:7007", "::1", "[::1]:7007", "fe80::1%eth0", "[fe80::1%eth0]:7007"; a scope is the name or
  // the number of an interface of this network namespace. `port` is taken where the text names none. `invalid` for
  // anything else, `not_found` for an interface that does not exist.
  static Result<Address> parse(std::string_view text, std::uint16_t port = 0);
  static Address any(IpVersion version, std::uint16_t port = 0);
  // 10.0.0.1 is 0x0A000001.
  static Address from_ipv4(std::uint32_t address, std::uint16_t port = 0);

  [[nodiscard]] IpVersion version() const { return version_; }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }
  // The number that from_ipv4() reads; of an IPv4 address only.
  [[nodiscard]] std::uint32_t ipv4() const;
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::uint32_t scope_id() const { return scope_id_; }
  [[nodiscard]] Address with_port(std::uint16_t port) const { return {version_, bytes_, port, scope_id_}; }

  // The same address, whatever the port.
  [[nodiscard]] bool same_host(const Address& other) const { return with_port(0) == other.with_port(0); }
  friend bool operator==(const Address&, const Address&) = default;

  // What parse() reads: without the port, and with it.
  [[nodiscard]] std::string host_text() const;
  [[nodiscard]] std::string text() const;

 private:
  IpVersion version_ = IpVersion::ipv4;
  Bytes bytes_{};
  std::uint16_t port_ = 0;
  std::uint32_t scope_id_ = 0;
};

}  // namespace rtecho::drivers
