// What a loop does with a port, in the small steps that tests need. Every wait here is bounded.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers::test {

using Message = std::vector<std::byte>;

// Different for every number and at every offset of a period that is no power of two.
inline Message make_message(std::uint64_t number, std::size_t bytes) {
  Message message(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    message[i] = static_cast<std::byte>((number * 31 + i % 251) & 0xFFU);
  }
  return message;
}

inline Message copy_of(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}

template <MessagePort Port>
SendOutcome send_message(Port& port, const Message& message) {
  const std::span<std::byte> frame = port.acquire(message.size());
  if (frame.size() != message.size()) {
    return SendOutcome::would_block;
  }
  std::memcpy(frame.data(), message.data(), message.size());
  return port.send(frame);
}

// Looks at the port until one look brings something, or the patience is over.
template <MessagePort Port>
std::size_t receive_soon(Port& port, std::span<Arrival> arrivals,
                         std::chrono::milliseconds patience = std::chrono::seconds(2)) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < deadline) {
    if (const std::size_t count = port.receive(arrivals); count > 0) {
      return count;
    }
    port.wait(port.now() + Duration::from_ms(5));
  }
  return 0;
}

// One message, copied and given back; empty when none came.
template <MessagePort Port>
Message take_message(Port& port, std::chrono::milliseconds patience = std::chrono::seconds(2)) {
  std::array<Arrival, 1> arrivals;
  if (receive_soon(port, arrivals, patience) == 0) {
    return {};
  }
  Message message = copy_of(arrivals[0].bytes);
  port.release(arrivals[0]);
  return message;
}

// The server's part of an echo: true when a message came and its answer was taken.
template <MessagePort Port>
bool answer_one(Port& port) {
  std::array<Arrival, 1> arrivals;
  return receive_soon(port, arrivals) == 1 && port.reply(arrivals[0]) == SendOutcome::sent;
}

}  // namespace rtecho::drivers::test
