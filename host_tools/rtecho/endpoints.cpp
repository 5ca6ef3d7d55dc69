#include "endpoints.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <cstring>

namespace rtecho::pair {

using boost::asio::ip::address_v4;
using boost::asio::ip::address_v6;
using boost::asio::ip::tcp;
using drivers::Address;
using drivers::IpVersion;

tcp::endpoint endpoint_of(const Address& address) {
  if (address.version() == IpVersion::ipv4) {
    address_v4::bytes_type bytes{};
    std::memcpy(bytes.data(), address.bytes().data(), bytes.size());
    return {address_v4(bytes), address.port()};
  }
  address_v6::bytes_type bytes{};
  std::memcpy(bytes.data(), address.bytes().data(), bytes.size());
  return {address_v6(bytes, address.scope_id()), address.port()};
}

Address host_of(const tcp::endpoint& endpoint) {
  Address::Bytes bytes{};
  if (endpoint.address().is_v4()) {
    const auto from = endpoint.address().to_v4().to_bytes();
    std::memcpy(bytes.data(), from.data(), from.size());
    return {IpVersion::ipv4, bytes, 0, 0};
  }
  const address_v6 address = endpoint.address().to_v6();
  const auto from = address.to_bytes();
  std::memcpy(bytes.data(), from.data(), from.size());
  return {IpVersion::ipv6, bytes, 0, static_cast<std::uint32_t>(address.scope_id())};
}

}  // namespace rtecho::pair
