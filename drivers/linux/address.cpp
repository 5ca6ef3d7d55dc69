#include "drivers/address.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <charconv>
#include <cstring>
#include <optional>
#include <system_error>

#include "rt_core/assert.hpp"
#include "rt_core/bytes.hpp"

namespace rtecho::drivers {

namespace {

constexpr Error not_an_address{Status::invalid, 0, "reading an IP address"};
constexpr Error not_a_port{Status::invalid, 0, "reading a port number"};
constexpr Error not_an_interface{Status::not_found, 0, "looking up the interface of a link-local address"};
constexpr Error misplaced_scope{Status::invalid, 0,
                                "reading a scope: link-local IPv6 addresses need one, no others do"};

template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{} || stop != end) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::uint32_t> interface_index(const std::string& scope) {
  if (const unsigned index = ::if_nametoindex(scope.c_str()); index != 0) {
    return index;
  }
  std::array<char, IF_NAMESIZE> name{};
  const std::optional<std::uint32_t> number = parse_number<std::uint32_t>(scope);
  if (number && ::if_indextoname(*number, name.data()) != nullptr) {
    return number;
  }
  return std::nullopt;
}

Result<Address> parse_ipv4(const std::string& host, std::uint16_t port) {
  Address::Bytes bytes{};
  if (::inet_pton(AF_INET, host.c_str(), bytes.data()) != 1) {
    return not_an_address;
  }
  return Address(IpVersion::ipv4, bytes, port, 0);
}

Result<Address> parse_ipv6(const std::string& host, std::uint16_t port) {
  const std::size_t percent = host.find('%');
  in6_addr address{};
  if (::inet_pton(AF_INET6, host.substr(0, percent).c_str(), &address) != 1) {
    return not_an_address;
  }
  Address::Bytes bytes{};
  if (IN6_IS_ADDR_V4MAPPED(&address)) {
    // A dual-stack acceptor spells its IPv4 peers so; one host has one spelling here.
    std::memcpy(bytes.data(), &address.s6_addr[12], 4);
    return Address(IpVersion::ipv4, bytes, port, 0);
  }
  std::memcpy(bytes.data(), &address, bytes.size());
  const bool has_scope = percent != std::string::npos;
  if (has_scope != static_cast<bool>(IN6_IS_ADDR_LINKLOCAL(&address))) {
    return misplaced_scope;
  }
  std::uint32_t scope_id = 0;
  if (has_scope) {
    const std::optional<std::uint32_t> index = interface_index(host.substr(percent + 1));
    if (!index) {
      return not_an_interface;
    }
    scope_id = *index;
  }
  return Address(IpVersion::ipv6, bytes, port, scope_id);
}

}  // namespace

Address::Address(IpVersion version, const Bytes& bytes, std::uint16_t port, std::uint32_t scope_id)
    : version_(version), bytes_(bytes), port_(port), scope_id_(scope_id) {}

Address Address::any(IpVersion version, std::uint16_t port) {
  return {version, Bytes{}, port, 0};
}

Address Address::from_ipv4(std::uint32_t address, std::uint16_t port) {
  Bytes bytes{};
  store_big_endian(bytes, 0, address);
  return {IpVersion::ipv4, bytes, port, 0};
}

std::uint32_t Address::ipv4() const {
  RTECHO_ASSERT(version_ == IpVersion::ipv4);
  return load_big_endian<std::uint32_t>(bytes_, 0);
}

Result<Address> Address::parse(std::string_view text, std::uint16_t port) {
  std::string_view host = text;
  std::string_view port_text;
  bool is_ipv6 = false;
  const std::size_t first_colon = text.find(':');
  if (text.starts_with('[')) {
    const std::size_t bracket = text.find(']');
    if (bracket == std::string_view::npos) {
      return not_an_address;
    }
    is_ipv6 = true;
    host = text.substr(1, bracket - 1);
    port_text = text.substr(bracket + 1);
  } else if (first_colon != text.rfind(':')) {
    is_ipv6 = true;  // two colons or more: there is no room for a port without brackets
  } else if (first_colon != std::string_view::npos) {
    host = text.substr(0, first_colon);
    port_text = text.substr(first_colon);
  }
  if (!port_text.empty()) {
    const std::optional<std::uint16_t> number =
        port_text.front() == ':' ? parse_number<std::uint16_t>(port_text.substr(1)) : std::nullopt;
    if (!number) {
      return not_a_port;
    }
    port = *number;
  }
  return is_ipv6 ? parse_ipv6(std::string(host), port) : parse_ipv4(std::string(host), port);
}

std::string Address::host_text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  ::inet_ntop(version_ == IpVersion::ipv4 ? AF_INET : AF_INET6, bytes_.data(), buffer.data(), buffer.size());
  std::string result = buffer.data();
  if (scope_id_ != 0) {
    std::array<char, IF_NAMESIZE> name{};
    // An interface that vanished has a number left, no name.
    const bool has_name = ::if_indextoname(scope_id_, name.data()) != nullptr;
    result += '%' + (has_name ? std::string(name.data()) : std::to_string(scope_id_));
  }
  return result;
}

std::string Address::text() const {
  const std::string port = ":" + std::to_string(port_);
  return version_ == IpVersion::ipv4 ? host_text() + port : "[" + host_text() + "]" + port;
}

}  // namespace rtecho::drivers
