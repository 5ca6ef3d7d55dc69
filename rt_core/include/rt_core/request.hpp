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
    if (frame.size() != full_header_bytes) {
      write_around_header(frame, sequence);
    }
    const Instant send = clock.now();
    if (frame.size() >= full_header_bytes) {
      header_.emit(frame.first<full_header_bytes>(), sequence, send);
    }
    return send;
  }

 private:
  // All but a full header, which alone carries the stamp. Kept apart, because it is nothing where the message is no
  // more than that.
  [[gnu::noinline]] void write_around_header(std::span<std::byte> frame, std::uint64_t sequence) const noexcept {
    switch (form_) {
      case MessageForm::full:
        write_fill(frame, full_header_bytes, sequence);
        break;
      case MessageForm::short_header:
        ShortMessage::emit(frame, shape_, sequence);
        write_fill(frame, short_header_bytes, sequence);
        break;
      case MessageForm::tag:
        TagMessage::emit(frame, sequence);
        break;
    }
  }

  MessageShape shape_;
  MessageForm form_;
  FullHeaderTemplate header_;
};

}  // namespace rtecho
