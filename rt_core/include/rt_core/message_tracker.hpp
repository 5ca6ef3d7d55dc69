// What became of each message that a client sent: a ring of the last 65,536, indexed by the low bits of the
// sequence, and the counts that the accounting equations need.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rt_core/event_log.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/time.hpp"

namespace rtecho {

enum class MessageState : std::uint8_t {
  unsent,
  answered,
  outstanding,  // sent, no answer yet
  overdue,      // no answer within the timeout; one may still come
};

// 32 bytes, so that none lies in two cache lines and its place is a shift away.
struct alignas(32) SentMessage {
  Instant intended;
  Instant send;
  MessageState state = MessageState::unsent;
  MessageClass message_class = MessageClass::recorded;
};

// What a reply turned out to be.
enum class MatchKind : std::uint8_t {
  answered,
  late,
  late_beyond_ring,  // so old that its entry, and with it the send stamp, is gone
  duplicate,
  stray,  // of a message that was never sent
};

struct Match {
  MatchKind kind = MatchKind::stray;
  bool reordered = false;                // answered before a message that was sent earlier
  const SentMessage* message = nullptr;  // answered and late only; until the next message is sent
};

class MessageTracker {
 public:
  explicit MessageTracker(Duration timeout) : timeout_(timeout) {}

  // The next message was handed to the driver. A message that the driver did not take is none of ours: its number
  // goes to the next one.
  void sent(Instant intended, Instant send, MessageClass message_class) {
    SentMessage& entry = at(next_sequence_);
    if (entry.state >= MessageState::outstanding) [[unlikely]] {
      leave_ring(entry);
    }
    if (outstanding_++ == 0) [[likely]] {
      oldest_ = next_sequence_;
      // Time in which nobody was waited for is no silence.
      if (timeouts_in_a_row_ == 0) [[likely]] {
        silent_since_ = send;
      } else {
        silent_since_ += send - idle_since_;
      }
    }
    entry = SentMessage{intended, send, MessageState::outstanding, message_class};
    ++next_sequence_;
  }

  // The common reply: to the oldest message that is outstanding, in time, and not overtaken. Null: it is another one,
  // for match() to say which; nothing has changed.
  const SentMessage* match_oldest(std::uint64_t sequence, Instant now) {
    if (sequence != oldest_ || sequence < answered_end_) [[unlikely]] {
      return nullptr;
    }
    SentMessage& entry = at(sequence);
    if (entry.state != MessageState::outstanding || now - entry.send >= timeout_) [[unlikely]] {
      return nullptr;
    }
    entry.state = MessageState::answered;
    timeouts_in_a_row_ = 0;
    answered_end_ = sequence + 1;
    if (--outstanding_ != 0) {
      silent_since_ = now;  // where nothing is waited for, the next message sets it
      ++oldest_;
      pass_resolved();
    }
    return &entry;
  }

  // Any reply.
  Match match(std::uint64_t sequence, Instant now) {
    if (sequence >= next_sequence_) {
      return Match{};
    }
    if (next_sequence_ - sequence > entries_.size()) {
      return match_beyond_ring(now);
    }
    SentMessage& entry = at(sequence);
    switch (entry.state) {
      case MessageState::unsent:
        return Match{};
      case MessageState::answered:
        return Match{.kind = MatchKind::duplicate};
      case MessageState::outstanding:
        --outstanding_;
        break;
      case MessageState::overdue:
        --overdue_;
        break;
    }
    entry.state = MessageState::answered;
    note_alive(now);
    const bool reordered = sequence < answered_end_;
    if (!reordered) {
      answered_end_ = sequence + 1;
    }
    pass_resolved();
    // Overdue, or found to be so only now.
    const bool late = now - entry.send >= timeout_;
    return Match{late ? MatchKind::late : MatchKind::answered, reordered, &entry};
  }

  // Marks what has had no answer within the timeout, and says how many. At most one window's worth of work.
  std::uint64_t expire(Instant now) {
    std::uint64_t expired = 0;
    while (outstanding_ != 0) {
      SentMessage& entry = at(oldest_);
      if (entry.state == MessageState::outstanding) {
        if (now - entry.send < timeout_) {
          break;
        }
        entry.state = MessageState::overdue;
        --outstanding_;
        ++overdue_;
        ++expired;
        // The peer has not gone silent where a later message was answered.
        timeouts_in_a_row_ += oldest_ >= answered_end_ ? 1U : 0U;
      }
      ++oldest_;
    }
    if (expired != 0 && outstanding_ == 0) {
      idle_since_ = now;
    }
    return expired;
  }

  [[nodiscard]] std::uint64_t next_sequence() const { return next_sequence_; }
  // 0 where nothing was sent.
  [[nodiscard]] Instant last_send() const { return entries_[(next_sequence_ - 1) % entries_.size()].send; }
  [[nodiscard]] std::uint64_t outstanding() const { return outstanding_; }
  [[nodiscard]] std::uint64_t overdue() const { return overdue_; }
  // Missing for good, unless the drain still brings one: the overdue ones, and those whose entry was used again.
  [[nodiscard]] std::uint64_t missing() const { return overdue_ + missing_beyond_ring_; }
  // When the oldest outstanding message is overdue; only meaningful where one is outstanding.
  [[nodiscard]] Instant first_timeout() const { return entries_[oldest_ % entries_.size()].send + timeout_; }

  // Ten timeouts in a row, or 3 s (or the timeout, if that is longer) without a valid reply that was waited for.
  [[nodiscard]] bool peer_is_lost(Instant now) const {
    if (timeouts_in_a_row_ >= timeouts_in_a_row_max) {
      return true;
    }
    const Instant waited_until = outstanding_ != 0 ? now : idle_since_;
    return waited_until - silent_since_ > longer(silence_max, timeout_);
  }

 private:
  static constexpr std::uint64_t timeouts_in_a_row_max = 10;
  static constexpr Duration silence_max = Duration::from_s(3);

  [[nodiscard]] SentMessage& at(std::uint64_t sequence) { return entries_[sequence % entries_.size()]; }

  // Whether it was answered before cannot be told any more: it is a late one as long as one that old is missing.
  Match match_beyond_ring(Instant now) {
    if (missing_beyond_ring_ == 0) {
      return Match{.kind = MatchKind::duplicate};
    }
    --missing_beyond_ring_;
    note_alive(now);
    return Match{.kind = MatchKind::late_beyond_ring};
  }

  // A message of 65,536 messages ago whose answer is still missing gives its entry to a new one.
  void leave_ring(const SentMessage& entry) {
    --(entry.state == MessageState::outstanding ? outstanding_ : overdue_);
    ++missing_beyond_ring_;
    if (oldest_ == next_sequence_ - entries_.size()) {
      ++oldest_;
    }
    pass_resolved();
  }

  // The oldest outstanding message, where one is. Never further than one timeout's worth of messages.
  void pass_resolved() {
    while (outstanding_ != 0 && at(oldest_).state != MessageState::outstanding) {
      ++oldest_;
    }
  }

  void note_alive(Instant now) {
    timeouts_in_a_row_ = 0;
    silent_since_ = now;
  }

  Duration timeout_;
  std::uint64_t next_sequence_ = 0;
  std::uint64_t oldest_ = 0;  // no message before it is outstanding; meaningful where one is
  std::uint64_t outstanding_ = 0;
  std::uint64_t overdue_ = 0;
  std::uint64_t missing_beyond_ring_ = 0;
  std::uint64_t answered_end_ = 0;  // one more than the highest answered
  std::uint64_t timeouts_in_a_row_ = 0;
  Instant silent_since_;
  Instant idle_since_;  // the timeout that left nothing outstanding
  std::array<SentMessage, limits::outstanding_ring> entries_{};
};

}  // namespace rtecho
