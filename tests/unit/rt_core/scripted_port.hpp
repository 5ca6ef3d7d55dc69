// A message port that does what the test wrote down: what arrives, what becomes of each send, what the clock says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "rt_core/message.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/time.hpp"

namespace rtecho::test {

using Message = std::vector<std::byte>;

class ScriptedPort {
 public:
  // --- the script -----------------------------------------------------------------------------------------------
  Instant clock = Instant::from_ns(1'000'000'000);
  std::deque<Instant> stamps;        // taken one by one by now(); the clock stands at the last one afterwards
  std::deque<SendOutcome> outcomes;  // taken one by one by send(); `default_outcome` when there is none left
  SendOutcome default_outcome = SendOutcome::sent;
  SendOutcome reply_outcome = SendOutcome::sent;
  bool frames_left = true;
  bool is_stream = false;

  void arrive(Message message, bool truncated = false) { inbox_.push_back({std::move(message), truncated}); }

  // --- what happened --------------------------------------------------------------------------------------------
  std::vector<Message> sent;
  std::vector<Message> replies;
  std::uint64_t send_calls = 0;
  std::uint64_t returned = 0;  // arrivals that were answered or released

  // --- MessagePort ----------------------------------------------------------------------------------------------
  [[nodiscard]] Instant now() noexcept {
    if (!stamps.empty()) {
      clock = stamps.front();
      stamps.pop_front();
    }
    return clock;
  }
  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept {
    lent_.clear();
    while (lent_.size() < arrivals.size() && !inbox_.empty()) {
      lent_.push_back(std::move(inbox_.front()));
      inbox_.pop_front();
    }
    for (std::size_t i = 0; i < lent_.size(); ++i) {
      arrivals[i] = Arrival{.bytes = lent_[i].message, .truncated = lent_[i].truncated};
    }
    return lent_.size();
  }
  SendOutcome reply(const Arrival& arrival) noexcept {
    ++returned;
    if (reply_outcome == SendOutcome::sent) {
      replies.emplace_back(arrival.bytes.begin(), arrival.bytes.end());
    }
    return reply_outcome;
  }
  void release(const Arrival&) noexcept { ++returned; }
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
    if (!frames_left) {
      return {};
    }
    frame_.resize(bytes);
    return frame_;
  }
  SendOutcome send(std::span<std::byte> frame) noexcept {
    ++send_calls;
    SendOutcome outcome = default_outcome;
    if (!outcomes.empty()) {
      outcome = outcomes.front();
      outcomes.pop_front();
    }
    if (outcome == SendOutcome::sent) {
      sent.emplace_back(frame.begin(), frame.end());
    }
    return outcome;
  }
  void wait(Instant until) noexcept { clock = clock < until ? until : clock; }
  [[nodiscard]] PortCapabilities capabilities() const noexcept {
    return {.message_bytes_max = 65'535, .receive_batch_max = 16, .stream = is_stream};
  }
  [[nodiscard]] PortHealth health() const noexcept { return PortHealth::open; }
  [[nodiscard]] PortCounters counters() const noexcept { return {}; }

 private:
  struct Delivery {
    Message message;
    bool truncated = false;
  };
  std::deque<Delivery> inbox_;
  std::vector<Delivery> lent_;  // what the last look brought: a look ends the life of the one before
  Message frame_;
};
static_assert(MessagePort<ScriptedPort>);

inline ServerPlan server_plan(const MessageShape& shape) {
  ServerPlan plan;
  plan.shape = shape;
  return plan;
}

// What a good full request says.
inline FullFields fields_of(const Message& request) {
  const MessageShape shape{static_cast<std::uint32_t>(request.size()),
                           load_big_endian<std::uint64_t>(request, full_offset::session)};
  FullFields fields;
  RTECHO_ASSERT(FullHeaderReader(shape, FullMessage::kind(request)).read(request, fields) == MessageFault::none);
  return fields;
}

// The answer that an ideal server would give at `receive` (sent 1 us later).
inline Message reply_to(Message request, Instant receive = Instant::from_ns(5'000)) {
  switch (form_of(request.size())) {
    case MessageForm::full:
      turn_full_message(request, fields_of(request), receive, receive + Duration::from_us(1), 0);
      break;
    case MessageForm::short_header:
      request[short_offset::kind] |= std::byte{0x80};
      break;
    case MessageForm::tag:
      request[0] |= std::byte{0x80};
      break;
  }
  return request;
}

}  // namespace rtecho::test
