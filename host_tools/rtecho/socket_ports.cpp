#include "socket_ports.hpp"

#include <utility>

#include "data_port_of.hpp"
#include "drivers/tcp_stream_port.hpp"
#include "drivers/udp_socket_port.hpp"
#include "platform/memory.hpp"

namespace rtecho::pair {

namespace {

struct UdpStack {
  UdpStack(drivers::UdpEndpoint endpoint, platform::MappedMemory mapped)
      : memory(std::move(mapped)), port(std::move(endpoint), memory.bytes()) {}

  [[nodiscard]] nlohmann::json more_facts() const {
    const drivers::UdpEndpoint& endpoint = port.endpoint();
    return {{"receive_buffer_bytes", endpoint.receive_buffer_bytes()},
            {"send_buffer_bytes", endpoint.send_buffer_bytes()}};
  }

  platform::MappedMemory memory;
  drivers::UdpSocketPort port;
};

struct TcpStack {
  TcpStack(drivers::TcpConnection connection, platform::MappedMemory mapped, std::uint32_t message_bytes)
      : memory(std::move(mapped)), port(std::move(connection), memory.bytes(), message_bytes) {}

  [[nodiscard]] nlohmann::json more_facts() const {
    const auto retransmits = port.retransmits();
    return retransmits ? nlohmann::json{{"tcp_retransmits", *retransmits}} : nlohmann::json::object();
  }

  platform::MappedMemory memory;
  drivers::TcpStreamPort port;
};

}  // namespace

Result<std::unique_ptr<DataPort>> open_udp_port(drivers::UdpEndpoint endpoint) {
  auto memory = platform::MappedMemory::map(drivers::UdpSocketPort::memory_bytes);
  if (!memory) {
    return memory.error();
  }
  return std::unique_ptr<DataPort>(
      std::make_unique<DataPortOf<UdpStack>>(std::move(endpoint), std::move(memory).value()));
}

Result<std::unique_ptr<DataPort>> open_tcp_port(drivers::TcpConnection connection, std::uint32_t message_bytes) {
  auto memory = platform::MappedMemory::map(drivers::TcpStreamPort::memory_bytes);
  if (!memory) {
    return memory.error();
  }
  return std::unique_ptr<DataPort>(
      std::make_unique<DataPortOf<TcpStack>>(std::move(connection), std::move(memory).value(), message_bytes));
}

}  // namespace rtecho::pair
