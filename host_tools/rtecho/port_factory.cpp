#include "port_factory.hpp"

#include <utility>

#include "facts_json.hpp"

namespace rtecho::pair {

DataPort make_port(DataPath path, std::span<std::byte> memory, std::uint32_t message_bytes) {
  if (auto* endpoint = std::get_if<drivers::UdpEndpoint>(&path)) {
    return drivers::UdpSocketPort(std::move(*endpoint), memory);
  }
  return drivers::TcpStreamPort(std::move(std::get<drivers::TcpConnection>(path)), memory, message_bytes);
}

nlohmann::json port_json(const DataPort& port) {
  nlohmann::json object = to_json(std::visit([](const auto& any) { return any.counters(); }, port));
  if (const auto* stream = std::get_if<drivers::TcpStreamPort>(&port)) {
    if (const auto retransmits = stream->retransmits()) {
      object["tcp_retransmits"] = *retransmits;
    }
  } else {
    const drivers::UdpEndpoint& endpoint = std::get<drivers::UdpSocketPort>(port).endpoint();
    object["receive_buffer_bytes"] = endpoint.receive_buffer_bytes();
    object["send_buffer_bytes"] = endpoint.send_buffer_bytes();
  }
  return object;
}

}  // namespace rtecho::pair
