// A request as the client writes it: one call for the three forms. The counterpart of reply.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rt_core/message.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

class RequestWriter {
 public:
  explicit RequestWriter(const MessageShape& shape)
      : shape_(shape), form_(shape.form()), header_(shape, MessageKind::echo) {}

  // Writes the message; the send stamp is read from `clock` as late as the form allows, and returned.
  template <typename Clock>
  Instant write(std::span<std::byte> frame, std::uint64_t sequence, Clock& clock) const noexcept {
    if (frame.size() < full_header_bytes) {
      write_small(frame, sequence);
      return clock.now();
    }
    write_fill(frame, full_header_bytes, sequence);
    const Instant send = clock.now();
    header_.emit(frame.first<full_header_bytes>(), sequence, send);
    return send;
  }

 private:
  [[gnu::noinline]] void write_small(std::span<std::byte> frame, std::uint64_t sequence) const noexcept {
    if (form_ == MessageForm::short_header) {
      ShortMessage::emit(frame, shape_, sequence);
      write_fill(frame, short_header_bytes, sequence);
    } else {
      TagMessage::emit(frame, sequence);
    }
  }

  MessageShape shape_;
  MessageForm form_;
  FullHeaderTemplate header_;
};

}  // namespace rtecho
