// The only place that turns a protocol and a driver's name into a port type. Everything after it is a template over
// the port, chosen once per series by std::visit and never in a loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <variant>

#include "drivers/tcp_connection.hpp"
#include "drivers/tcp_stream_port.hpp"
#include "drivers/udp_endpoint.hpp"
#include "drivers/udp_socket_port.hpp"

namespace rtecho::pair {

// A data path that ordinary code has opened and tried out.
using DataPath = std::variant<drivers::UdpEndpoint, drivers::TcpConnection>;
using DataPort = std::variant<drivers::UdpSocketPort, drivers::TcpStreamPort>;

// What any of the ports needs.
inline constexpr std::size_t port_memory_bytes =
    drivers::TcpStreamPort::memory_bytes > drivers::UdpSocketPort::memory_bytes ? drivers::TcpStreamPort::memory_bytes
                                                                                : drivers::UdpSocketPort::memory_bytes;

// `memory` holds port_memory_bytes and must outlive the port.
[[nodiscard]] DataPort make_port(DataPath path, std::span<std::byte> memory, std::uint32_t message_bytes);

// The port's counters, and what its kind has besides: TCP segments that were sent again, or the buffers that the
// socket was granted. In the words of the run file.
[[nodiscard]] nlohmann::json port_json(const DataPort& port);

}  // namespace rtecho::pair
