// A stream in pieces of any length: what comes out are the bytes that went in, cut at every multiple of the message
// length, however the reads fell. The first bytes choose the lengths of message and memory; each further byte is the
// length of one read.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "fuzz_input.hpp"
#include "rt_core/stream_cut.hpp"

namespace {

using rtecho::fuzz::require;

// The stream's byte at this offset. 251 is prime, so that no message length divides the pattern.
std::byte stream_byte(std::uint64_t offset) {
  return static_cast<std::byte>(offset % 251);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rtecho::fuzz::FuzzInput input(data, size);
  const std::size_t message_bytes = 1 + (std::size_t{input.byte()} | (std::size_t{input.byte()} & 3U) << 8U);
  const std::size_t spare_bytes = input.byte();
  std::vector<std::byte> memory(2 * message_bytes - 1 + spare_bytes);
  rtecho::StreamCut cut(memory, message_bytes);

  std::uint64_t written = 0;
  std::uint64_t read = 0;
  while (!input.rest().empty()) {
    const std::size_t wanted = std::size_t{input.byte()} * 4 + 1;
    const std::span<std::byte> room = cut.writable();
    require(!room.empty());
    const std::size_t bytes = wanted < room.size() ? wanted : room.size();
    for (std::size_t i = 0; i < bytes; ++i) {
      room[i] = stream_byte(written++);
    }
    cut.commit(bytes);
    for (std::span<std::byte> message = cut.next(); !message.empty(); message = cut.next()) {
      require(message.size() == message_bytes);
      for (const std::byte byte : message) {
        require(byte == stream_byte(read++));
      }
    }
    require(cut.pending() == written - read && cut.pending() < message_bytes);
  }
  return 0;
}
