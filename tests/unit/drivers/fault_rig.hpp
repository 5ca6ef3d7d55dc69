// A client whose messages meet faults, and a server that is plain.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "drivers/fake_clock.hpp"
#include "drivers/fault_port.hpp"
#include "drivers/loopback_port.hpp"

namespace rtecho::drivers::test {

inline constexpr std::uint32_t always = 1'000'000;
inline constexpr std::size_t message_bytes = 16;
inline constexpr std::uint32_t message_bytes_max = 128;

using Link = LoopbackLink<FakeClock, 64>;
using Port = FaultPort<Link::Port>;
static_assert(MessagePort<Port>);
using Message = std::vector<std::byte>;

struct FaultRig {
  explicit FaultRig(const FaultPlan& plan, std::uint32_t held_slots = 16)
      : port(link.client(), plan, FrameBlock(held_memory, held_slots, message_bytes_max)) {}

  SendOutcome send(std::uint8_t number, std::size_t bytes = message_bytes) {
    const std::span<std::byte> frame = port.acquire(bytes);
    std::memset(frame.data(), number, frame.size());
    return port.send(frame);
  }
  // What has arrived at the server by now.
  std::vector<Message> arrived() {
    std::array<Arrival, 64> arrivals;
    std::vector<Message> messages;
    const std::size_t count = link.server().receive(arrivals);
    for (std::size_t i = 0; i < count; ++i) {
      messages.emplace_back(arrivals[i].bytes.begin(), arrivals[i].bytes.end());
      link.server().release(arrivals[i]);
    }
    return messages;
  }
  std::vector<int> arrived_numbers() {
    std::vector<int> numbers;
    for (const Message& message : arrived()) {
      numbers.push_back(std::to_integer<int>(message[0]));
    }
    return numbers;
  }
  // The client looks at its port `later` than now: what it holds until then goes out.
  void look(Duration later) {
    clock.advance(later);
    std::array<Arrival, 1> arrivals;
    (void)port.receive(arrivals);
  }

  alignas(64) std::array<std::byte, Link::memory_bytes(message_bytes_max)> link_memory{};
  alignas(64) std::array<std::byte, FrameBlock::bytes_for(64, message_bytes_max)> held_memory{};
  FakeClock clock;
  Link link{clock, link_memory, message_bytes_max};
  Port port;
};

inline Message message_of(std::uint8_t number) {
  return Message(message_bytes, std::byte{number});
}

inline int bits_between(const Message& a, const Message& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    bits += std::popcount(std::to_integer<unsigned>(a[i] ^ b[i]));
  }
  return bits;
}

}  // namespace rtecho::drivers::test
