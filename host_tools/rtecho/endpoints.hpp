// Between the drivers' addresses and the event library's endpoints.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <optional>

#include "drivers/address.hpp"

namespace rtecho::pair {

[[nodiscard]] boost::asio::ip::tcp::endpoint endpoint_of(const drivers::Address& address);

// With the scope of a link-local address, with port 0: what the data path of the same connection starts from.
[[nodiscard]] drivers::Address host_of(const boost::asio::ip::tcp::endpoint& endpoint);

}  // namespace rtecho::pair
