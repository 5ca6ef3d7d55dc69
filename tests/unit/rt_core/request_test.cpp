#include "rt_core/request.hpp"

#include <gtest/gtest.h>

#include "scripted_port.hpp"

namespace rtecho {
namespace {

using test::Message;
using test::ScriptedPort;

constexpr std::uint64_t session = 0x0102'0304'0506'0708;

TEST(RequestWriter, ReadsTheClockOnceAndReturnsThatStamp) {
  for (const std::uint32_t bytes : {1U, 15U, 16U, 63U, 64U, 200U}) {
    ScriptedPort clock;
    clock.stamps = {Instant::from_ns(77), Instant::from_ns(99)};
    Message message(bytes);
    EXPECT_EQ(RequestWriter({.message_bytes = bytes, .session = session}).write(message, 5, clock).ns(), 77) << bytes;
    EXPECT_EQ(clock.stamps.size(), 1U) << bytes;
  }
}

TEST(RequestWriter, PutsTheReturnedStampIntoAFullHeader) {
  ScriptedPort clock;
  clock.stamps = {Instant::from_ns(77)};
  Message message(64);
  RequestWriter({.message_bytes = 64, .session = session}).write(message, 5, clock);
  EXPECT_EQ(FullMessage::client_send(message).ns(), 77);
  EXPECT_EQ(FullMessage::kind(message), 1U);
}

TEST(RequestWriter, WritesTheWholeMessage) {
  for (const std::uint32_t bytes : {1U, 2U, 9U, 15U, 16U, 17U, 63U, 64U, 65U, 1'472U}) {
    const RequestWriter writer({.message_bytes = bytes, .session = session});
    ScriptedPort clock;
    Message zeros(bytes, std::byte{0x00});
    Message ones(bytes, std::byte{0xFF});
    writer.write(zeros, 9, clock);
    writer.write(ones, 9, clock);
    EXPECT_EQ(zeros, ones) << "no byte of the frame's last user is left in " << bytes;
  }
}

TEST(RequestWriter, WritesNothingBesideTheMessage) {
  for (const std::uint32_t bytes : {1U, 15U, 17U, 63U, 65U}) {
    ScriptedPort clock;
    Message memory(bytes + 8U, std::byte{0xEE});
    RequestWriter({.message_bytes = bytes, .session = session})
        .write(std::span<std::byte>(memory).first(bytes), 9, clock);
    for (std::size_t i = bytes; i < memory.size(); ++i) {
      EXPECT_EQ(memory[i], std::byte{0xEE}) << "byte " << i << " behind " << bytes;
    }
  }
}

TEST(RequestWriter, TheSequenceChangesTheFill) {
  const RequestWriter writer({.message_bytes = 24, .session = session});
  ScriptedPort clock;
  Message first(24);
  Message second(24);
  writer.write(first, 1, clock);
  writer.write(second, 2, clock);
  for (std::size_t i = 16; i < 24; ++i) {
    EXPECT_NE(first[i], second[i]) << i;
  }
}

}  // namespace
}  // namespace rtecho
