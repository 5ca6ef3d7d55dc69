#include "port_factory.hpp"

#include <utility>

namespace rtecho::pair {

DataPort make_port(DataPath path, std::span<std::byte> memory, std::uint32_t message_bytes) {
  if (auto* endpoint = std::get_if<drivers::UdpEndpoint>(&path)) {
    return drivers::UdpSocketPort(std::move(*endpoint), memory);
  }
  return drivers::TcpStreamPort(std::move(std::get<drivers::TcpConnection>(path)), memory, message_bytes);
}

std::optional<std::uint32_t> retransmits_of(const DataPort& port) {
  const auto* stream = std::get_if<drivers::TcpStreamPort>(&port);
  return stream != nullptr ? stream->retransmits() : std::nullopt;
}

PortCounters counters_of(const DataPort& port) {
  return std::visit([](const auto& any) { return any.counters(); }, port);
}

}  // namespace rtecho::pair
