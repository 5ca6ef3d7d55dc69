// Frames put together byte by byte, each field as the test wants it; and a wire to put them on. By default a client (1)
// talks to a server (2), correctly.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "drivers/fake_clock.hpp"
#include "drivers/frames_over.hpp"
#include "drivers/loopback_port.hpp"
#include "rt_core/ethernet.hpp"
#include "wire_samples.hpp"

namespace rtecho::drivers::test {

using rtecho::test::from_hex;
using rtecho::test::plain_checksum;
using rtecho::test::plain_sum;
using rtecho::test::put_word;
using Frame = rtecho::test::Bytes;

inline constexpr std::uint32_t client_address = 0x0A00'0001;
inline constexpr std::uint32_t server_address = 0x0A00'0002;
inline constexpr std::uint16_t client_port = 4'000;
inline constexpr std::uint16_t server_port = 7'008;

inline MacAddress mac(unsigned last, unsigned first = 0x02) {
  return MacAddress({static_cast<std::byte>(first), std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                     static_cast<std::byte>(last)});
}
inline const MacAddress client_mac = mac(1);
inline const MacAddress server_mac = mac(2);

inline void append(Frame& frame, const Frame& more) {
  frame.insert(frame.end(), more.begin(), more.end());
}
inline void append_word(Frame& frame, std::uint32_t value) {
  frame.resize(frame.size() + 2);
  put_word(frame, frame.size() - 2, value);
}
inline void append_address(Frame& frame, std::uint32_t value) {
  append_word(frame, value >> 16U);
  append_word(frame, value & 0xFFFFU);
}
inline void append_mac(Frame& frame, const MacAddress& address) {
  frame.insert(frame.end(), address.bytes().begin(), address.bytes().end());
}

inline Frame message_of(std::size_t bytes, unsigned first = 0x30) {
  Frame message(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    message[i] = static_cast<std::byte>((first + i * 7) & 0xFFU);
  }
  return message;
}

struct LinkFields {
  MacAddress destination = server_mac;
  MacAddress source = client_mac;
  std::vector<std::uint32_t> tags{};  // EtherType and control information of each, the outermost first
  std::size_t padded_to = 60;

  [[nodiscard]] Frame frame(std::uint32_t type, const Frame& payload) const {
    Frame frame;
    append_mac(frame, destination);
    append_mac(frame, source);
    for (const std::uint32_t tag : tags) {
      append_address(frame, tag);
    }
    append_word(frame, type);
    append(frame, payload);
    frame.resize(frame.size() < padded_to ? padded_to : frame.size());
    return frame;
  }
  // What the one at the other end answers with.
  [[nodiscard]] LinkFields turned() const { return {source, destination, tags, padded_to}; }
};

struct RawFields {
  LinkFields link{};
  std::uint32_t type = 0x88B5;
  Frame message{};
  std::optional<std::uint32_t> length{};

  [[nodiscard]] Frame frame() const {
    Frame payload;
    append_word(payload, length.value_or(static_cast<std::uint32_t>(message.size())));
    append(payload, message);
    return link.frame(type, payload);
  }
};

struct PacketFields {
  LinkFields link{};
  std::uint32_t first_byte = 0x45;
  std::uint32_t service = 0;
  std::uint32_t fragment = 0x4000;
  std::uint32_t time_to_live = 64;
  std::uint32_t protocol = 17;
  std::uint32_t source = client_address;
  std::uint32_t destination = server_address;
  Frame options{};
  std::optional<std::uint32_t> total_bytes{};
  std::optional<std::uint32_t> checksum{};

  [[nodiscard]] Frame frame(const Frame& payload) const {
    Frame packet;
    append_word(packet, first_byte << 8U | service);
    append_word(packet, total_bytes.value_or(static_cast<std::uint32_t>(20 + options.size() + payload.size())));
    append_word(packet, 0);
    append_word(packet, fragment);
    append_word(packet, time_to_live << 8U | protocol);
    append_word(packet, 0);
    append_address(packet, source);
    append_address(packet, destination);
    append(packet, options);
    put_word(packet, 10, checksum.value_or(plain_checksum(packet)));
    append(packet, payload);
    return link.frame(0x0800, packet);
  }
  [[nodiscard]] std::uint64_t pseudo_header(std::size_t datagram_bytes) const {
    return (source >> 16U) + (source & 0xFFFFU) + (destination >> 16U) + (destination & 0xFFFFU) + protocol +
           datagram_bytes;
  }
};

struct UdpFields {
  PacketFields packet{.link = {.padded_to = 0}};  // the shortest frames are the driver's business
  std::uint32_t source_port = client_port;
  std::uint32_t destination_port = server_port;
  Frame message{};
  std::optional<std::uint32_t> bytes{};
  std::optional<std::uint32_t> checksum{};

  [[nodiscard]] Frame frame() const {
    Frame datagram;
    append_word(datagram, source_port);
    append_word(datagram, destination_port);
    append_word(datagram, bytes.value_or(static_cast<std::uint32_t>(8 + message.size())));
    append_word(datagram, 0);
    append(datagram, message);
    const std::uint16_t right = plain_checksum(datagram, packet.pseudo_header(datagram.size()));
    put_word(datagram, 6, checksum.value_or(right == 0 ? 0xFFFF : right));
    return packet.frame(datagram);
  }
  // What the server answers with.
  [[nodiscard]] UdpFields turned() const {
    UdpFields reply = *this;
    reply.packet.link = packet.link.turned();
    std::swap(reply.packet.source, reply.packet.destination);
    std::swap(reply.source_port, reply.destination_port);
    return reply;
  }
};

// A wire with one protocol at its far end, which the test plays server for; at the near end frames are put and taken as
// they are.
template <typename Port, typename Plan>
class WireRig {
 public:
  static constexpr std::uint32_t mtu = 1'500;
  static constexpr std::uint32_t wire_bytes_max = 14 + 4 + mtu;
  static constexpr std::uint32_t slots = 64;
  using Link = LoopbackLink<FakeClock, slots>;

  explicit WireRig(const Plan& plan) : port(frames, plan) {}

  void put(const Frame& frame) {
    const std::span<std::byte> room = link.client().acquire(frame.size());
    ASSERT_EQ(room.size(), frame.size());
    std::copy(frame.begin(), frame.end(), room.begin());
    ASSERT_EQ(link.client().send(room), SendOutcome::sent);
  }
  std::vector<Frame> taken() {
    std::vector<Frame> all;
    std::array<Arrival, slots> arrivals;
    const std::size_t count = link.client().receive(arrivals);
    for (std::size_t i = 0; i < count; ++i) {
      all.emplace_back(arrivals[i].bytes.begin(), arrivals[i].bytes.end());
      link.client().release(arrivals[i]);
    }
    return all;
  }
  // Looks once, and answers every message. What came back over the wire.
  std::vector<Frame> served() {
    std::array<Arrival, 16> arrivals;
    const std::size_t count = port.receive(arrivals);
    messages.clear();
    for (std::size_t i = 0; i < count; ++i) {
      messages.emplace_back(arrivals[i].bytes.begin(), arrivals[i].bytes.end());
      (void)port.reply(arrivals[i]);
    }
    return taken();
  }
  std::vector<Frame> answers_to(const Frame& frame) {
    put(frame);
    std::vector<Frame> answers = served();
    EXPECT_EQ(link.free_slots(), slots) << "nothing leaks";
    return answers;
  }
  Frame sent(const Frame& message) {
    const std::span<std::byte> room = port.acquire(message.size());
    EXPECT_EQ(room.size(), message.size());
    std::copy(message.begin(), message.end(), room.begin());
    EXPECT_EQ(port.send(room), SendOutcome::sent);
    const std::vector<Frame> all = taken();
    return all.size() == 1 ? all[0] : Frame{};
  }

  alignas(64) std::array<std::byte, Link::memory_bytes(wire_bytes_max)> memory{};
  FakeClock clock;
  Link link{clock, memory, wire_bytes_max};
  FramesOver<typename Link::Port> frames{link.server()};
  Port port;
  std::vector<Frame> messages;  // of the last look
};

}  // namespace rtecho::drivers::test
