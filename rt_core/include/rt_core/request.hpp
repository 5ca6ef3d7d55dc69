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
    switch (form_) {
      case MessageForm::full: {
        write_fill(frame, full_header_bytes, sequence);
        const Instant send = clock.now();
        header_.emit(frame, sequence, send);
        return send;
      }
      case MessageForm::short_header:
        ShortMessage::emit(frame, shape_, sequence);
        write_fill(frame, short_header_bytes, sequence);
        break;
      case MessageForm::tag:
        TagMessage::emit(frame, sequence);
        break;
    }
    return clock.now();
  }

 private:
  MessageShape shape_;
  MessageForm form_;
  FullHeaderTemplate header_;
};

}  // namespace rtecho
