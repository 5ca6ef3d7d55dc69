// The ports of the kernel's sockets.
#pragma once

#include <cstdint>
#include <memory>

#include "data_port.hpp"
#include "drivers/tcp_connection.hpp"
#include "drivers/udp_endpoint.hpp"
#include "rt_core/result.hpp"

namespace rtecho::pair {

// The endpoint must be connected.
[[nodiscard]] Result<std::unique_ptr<DataPort>> open_udp_port(drivers::UdpEndpoint endpoint);
[[nodiscard]] Result<std::unique_ptr<DataPort>> open_tcp_port(drivers::TcpConnection connection,
                                                              std::uint32_t message_bytes);

}  // namespace rtecho::pair
