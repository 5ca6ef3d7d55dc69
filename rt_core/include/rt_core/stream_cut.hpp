// Cuts a byte stream into messages of one fixed length, without a length prefix (docs/wire_protocol.md). The
// memory is the caller's; a message is handed out where it was read, so that a reply is sent from there.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>

#include "rt_core/assert.hpp"

namespace rtecho {

class StreamCut {
 public:
  // `memory` must hold at least two messages less one byte: one that is handed out, and the beginning of the next.
  StreamCut(std::span<std::byte> memory, std::size_t message_bytes) : memory_(memory), message_bytes_(message_bytes) {
    RTECHO_ASSERT(message_bytes > 0 && memory.size() >= 2 * message_bytes - 1);
  }

  // Where the next bytes of the stream go; never empty. Moves an incomplete message to the front when the room
  // behind it is too small to complete it (at most message_bytes - 1 bytes). Ends the life of messages handed out.
  [[nodiscard]] std::span<std::byte> writable() {
    if (begin_ == end_) {
      begin_ = end_ = 0;
    } else if (memory_.size() - begin_ < message_bytes_) {
      std::memmove(memory_.data(), memory_.data() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return memory_.subspan(end_);
  }
  void commit(std::size_t bytes) {
    RTECHO_ASSERT(bytes <= memory_.size() - end_);
    end_ += bytes;
  }

  // The next complete message, or an empty span.
  [[nodiscard]] std::span<std::byte> next() {
    if (end_ - begin_ < message_bytes_) {
      return {};
    }
    const std::span<std::byte> message = memory_.subspan(begin_, message_bytes_);
    begin_ += message_bytes_;
    return message;
  }

  // Bytes of a message that is not complete yet, or of complete ones not taken yet.
  [[nodiscard]] std::size_t pending() const { return end_ - begin_; }

 private:
  std::span<std::byte> memory_;
  std::size_t message_bytes_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

}  // namespace rtecho
