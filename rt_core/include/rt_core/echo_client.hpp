// The client's step: look at the port, stamp, match and record what came, then send what is due. One thread owns
// it; it allocates, locks, prints and waits for nothing. What it needs from its caller is told by the step it
// returns: that a batch began or ended (sample the counters of the machine now), that it rests (wait on the port),
// that it is done.
//
// An EchoClient is about 3 MiB: construct it in memory that was mapped, touched and locked before the run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "rt_core/event_log.hpp"
#include "rt_core/gap_watch.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/outstanding.hpp"
#include "rt_core/pacer.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/series_record.hpp"

namespace rtecho {

enum class BatchEdge : std::uint8_t { none, began, ended };

struct ClientStep {
  Instant now;                        // when the port was looked at
  bool worked = false;                // something arrived or was sent
  bool resting = false;               // nothing will be sent before next_due(): wait, do not spin
  BatchEdge edge = BatchEdge::none;   // of batches with recorded messages
};

template <MessagePort Port>
class EchoClient {
 public:
  // The port must outlive the client. The plan must be valid (validate()).
  EchoClient(Port& port, const ClientPlan& plan)
      : port_(port),
        plan_(plan),
        form_(plan.shape.form()),
        stream_(port.capabilities().stream),
        warmup_left_(plan.warmup),
        pacer_(plan.pacing),
        header_(plan.shape, MessageKind::echo),
        gaps_(plan.gap_threshold) {}

  ClientStep step() noexcept {
    const std::size_t count = port_.receive(arrivals_);
    const Instant now = port_.now();  // the receive stamp of everything that this look brought
    const Duration gap = gaps_.look(now);
    if (gap > Duration{}) {
      events_.add(Event{.kind = EventKind::gap, .value_ns = gap.ns(), .send = now});
    }
    for (std::size_t i = 0; i < count; ++i) {
      take(arrivals_[i], now);
    }
    if (outstanding_ != 0 && now - ring_.at(oldest_).send >= plan_.timeout) {
      expire(now);
    }
    ClientStep result{.now = now, .worked = count != 0};
    advance_phase(result);
    return result;
  }

  // Ends the series at once: what is in flight stays unresolved. Done after this call.
  void interrupt() noexcept { finish(SeriesEnd::interrupted, port_.now()); }
  // The connection is gone (PortHealth): nothing more can be answered. Done after this call.
  void abandon() noexcept { finish(SeriesEnd::peer_lost, port_.now()); }

  [[nodiscard]] bool done() const { return phase_ == Phase::done; }
  // The time until the next step is spent waiting on purpose.
  void pause() noexcept { gaps_.pause(); }

  // When the next step has something to do even if nothing arrives. In the past: at once.
  [[nodiscard]] Instant next_due() noexcept {
    const Instant due = outstanding_ != 0 ? ring_.at(oldest_).send + plan_.timeout : never;
    switch (phase_) {
      case Phase::resting: return earlier(due, rest_until_);
      case Phase::draining: return earlier(due, last_send_ + drain_length());
      case Phase::running: return earlier(due, next_send());
      case Phase::waking: return Instant{};
      case Phase::closing:
      case Phase::done: break;
    }
    return due;
  }

  [[nodiscard]] const SeriesRecord& record() const { return record_; }
  [[nodiscard]] const GapWatch& gaps() const { return gaps_; }
  [[nodiscard]] EventLog& events() { return events_; }

 private:
  enum class Phase : std::uint8_t {
    resting,   // until rest_until_; the start of a series is the end of a rest of no length
    waking,    // the caller has sampled its counters: the batch begins with the next step
    running,
    closing,   // no more sends in this batch; its last answers are still to come
    draining,  // everything was sent; answers that are overdue may still come
    done,
  };

  struct Retry {
    std::span<std::byte> frame;
    Instant intended;
    Instant send;     // of the first attempt
    Instant give_up;  // the end of the slot's budget
    MessageClass message_class = MessageClass::recorded;
  };

  // What an arrival says once its form is checked.
  struct Reply {
    std::uint64_t sequence = 0;
    Instant client_send{};
    Instant server_receive{};
    Instant server_send{};
  };

  static constexpr Instant never = Instant::from_ns(std::numeric_limits<std::int64_t>::max());
  static constexpr std::uint64_t timeouts_in_a_row_max = 10;
  static constexpr Duration silence_max = Duration::from_s(3);
  static constexpr unsigned sends_per_step = 16;
  static constexpr unsigned skips_per_step = 64;

  // --- phases ---------------------------------------------------------------------------------------------------

  void advance_phase(ClientStep& step) noexcept {
    if (phase_ != Phase::done && peer_is_lost(step.now)) {
      finish(SeriesEnd::peer_lost, step.now);
    }
    switch (phase_) {
      case Phase::resting:
        step.resting = step.now < rest_until_;
        if (!step.resting) {
          phase_ = Phase::waking;
          step.edge = warmup_left_ == 0 || !plan_.batch.rests() ? BatchEdge::began : BatchEdge::none;
        }
        break;
      case Phase::waking:
        begin_batch(step.now);
        [[fallthrough]];
      case Phase::running: step.worked = run(step.now) || step.worked; break;
      case Phase::closing:
        if (outstanding_ == 0) {
          end_batch(step);
        }
        break;
      case Phase::draining:
        step.resting = true;
        if (overdue_ == 0 || step.now >= last_send_ + drain_length()) {
          finish(SeriesEnd::complete, step.now);
        }
        break;
      case Phase::done: break;
    }
  }

  void begin_batch(Instant now) noexcept {
    phase_ = Phase::running;
    batch_began_ = now;
    sent_in_batch_ = 0;
    batch_ = BatchRecord{};
    warming_up_ = warmup_left_ > 0;
    resume_left_ = warming_up_ || !plan_.batch.rests() ? 0 : plan_.batch.resume;
    batch_messages_ = warming_up_ ? plan_.batch.messages : plan_.batch.messages + resume_left_;
    last_receive_known_ = false;
    if (!started_) {
      started_ = true;
      series_began_ = now;
    }
    if (on_schedule()) {
      if (schedule_started_) {
        pacer_.suspend(now - suspended_at_);
      } else {
        start_schedule(now);
      }
    }
  }

  void start_schedule(Instant now) noexcept {
    pacer_.start(now);
    schedule_started_ = true;
  }

  void close_batch(Instant now) noexcept {
    phase_ = Phase::closing;
    suspended_at_ = now;
  }

  // The batch's last answer is there, or its time is up.
  void end_batch(ClientStep& step) noexcept {
    if (!warming_up_) {
      record_batch();
      step.edge = BatchEdge::ended;
    }
    if (all_attempted(step.now)) {
      phase_ = Phase::draining;
      return;
    }
    phase_ = Phase::resting;
    rest_until_ = step.now + plan_.batch.rest_after(step.now - batch_began_);
    ++record_.rests;
  }

  void record_batch() noexcept {
    record_.batches.add(batch_);
    const std::int64_t max_ns = record_.service.max().value_or(Duration{}).ns();
    events_.add(Event{.kind = EventKind::batch, .sequence = record_.service.n(), .value_ns = max_ns});
  }

  void finish(SeriesEnd end, Instant now) noexcept {
    if (phase_ == Phase::done) {
      return;
    }
    if (!retry_.frame.empty()) {
      retry_.frame = {};
      ++record_.accounting.refused;
    }
    if (started_ && !warming_up_ && (phase_ == Phase::running || phase_ == Phase::closing)) {
      record_batch();
    }
    record_.accounting.lost = overdue_ + lost_beyond_ring_;
    record_.accounting.unresolved = outstanding_;
    record_.elapsed = started_ ? now - series_began_ : Duration{};
    record_.end = end;
    phase_ = Phase::done;
  }

  [[nodiscard]] bool all_attempted(Instant now) const {
    return plan_.run_for > Duration{} ? now - series_began_ >= plan_.run_for : recorded_attempts_ >= plan_.count;
  }

  // How long after the last send an answer may still come.
  [[nodiscard]] Duration drain_length() const { return longer(plan_.timeout, longest_round_trip_ * 2); }

  [[nodiscard]] bool peer_is_lost(Instant now) const {
    if (timeouts_in_a_row_ >= timeouts_in_a_row_max) {
      return true;
    }
    const bool waiting = outstanding_ != 0 || timeouts_in_a_row_ != 0;
    return waiting && now - silent_since_ > longer(silence_max, plan_.timeout);
  }

  // --- sending --------------------------------------------------------------------------------------------------

  [[nodiscard]] bool on_schedule() const {
    return plan_.pacing.scheduled() && (!warming_up_ || plan_.warmup_on_schedule);
  }

  // Sends what is due, at most sends_per_step messages. True where something was sent.
  bool run(Instant now) noexcept {
    if (!retry_.frame.empty()) {
      return send_again(now);
    }
    bool sent = false;
    for (unsigned i = 0; i < sends_per_step; ++i) {
      if (pacer_.at_slot_start() && batch_is_over(now)) {
        close_batch(now);
        break;
      }
      if (on_schedule() && plan_.pacing.missed == MissedPolicy::skip) {
        skip_missed_slots(now);
      }
      if (next_send() > now) {
        break;
      }
      sent = true;
      if (!send_next()) {
        break;
      }
    }
    return sent;
  }

  [[nodiscard]] bool batch_is_over(Instant now) const {
    if (warming_up_ ? warmup_left_ == 0 : all_attempted(now)) {
      return true;
    }
    return plan_.batch.rests() &&
           (sent_in_batch_ >= batch_messages_ || now - batch_began_ >= plan_.batch.longest);
  }

  // When the window and the schedule allow the next message; never: not before an answer or a timeout.
  [[nodiscard]] Instant next_send() const {
    if (!retry_.frame.empty()) {
      return Instant{};
    }
    const bool burst_waits = !on_schedule() && plan_.pacing.burst > 1 && pacer_.at_slot_start() && outstanding_ != 0;
    if (outstanding_ >= plan_.pacing.window || burst_waits) {
      return never;
    }
    return on_schedule() && pacer_.intended() > hold_until_ ? pacer_.intended() : hold_until_;
  }

  void skip_missed_slots(Instant now) noexcept {
    for (unsigned i = 0; i < skips_per_step && pacer_.at_slot_start() && pacer_.next_slot() <= now; ++i) {
      for (std::uint32_t k = 0; k < plan_.pacing.burst; ++k) {
        ++record_.accounting.attempted;
        ++record_.accounting.skipped;
        (void)next_class();
        pacer_.advance();
      }
    }
  }

  // The class of the message that is attempted now, counted.
  MessageClass next_class() noexcept {
    ++sent_in_batch_;
    if (warming_up_ && warmup_left_ > 0) {
      --warmup_left_;
      ++record_.accounting.warmup;
      if (warmup_left_ == 0 && !plan_.batch.rests()) {
        leave_warmup();
      }
      return MessageClass::warmup;
    }
    if (resume_left_ > 0) {
      --resume_left_;
      ++record_.accounting.resume;
      return MessageClass::resume;
    }
    ++recorded_attempts_;
    return MessageClass::recorded;
  }

  // Without rests the recorded messages follow the warm-up directly.
  void leave_warmup() noexcept {
    warming_up_ = false;
    if (plan_.pacing.scheduled() && !schedule_started_) {
      start_schedule(last_send_);
    }
  }

  // False where the port would not take it: the frame is kept for send_again.
  bool send_next() noexcept {
    const std::span<std::byte> frame = port_.acquire(plan_.shape.message_bytes);
    if (frame.empty()) {
      return false;  // no frame free: the slot stays due
    }
    const std::uint64_t sequence = next_sequence_;
    const Instant intended = on_schedule() ? pacer_.intended() : Instant{};
    if (on_schedule() || plan_.pacing.burst > 1) {
      pacer_.advance();
    }
    ++record_.accounting.attempted;
    const MessageClass message_class = next_class();
    const Instant send = emit(frame, sequence);
    const SendOutcome outcome = port_.send(frame);
    if (outcome == SendOutcome::sent) {
      note_sent(intended, send, message_class);
      return true;
    }
    if (outcome == SendOutcome::failed) {
      note_refused();
      return true;
    }
    const Duration budget = plan_.pacing.scheduled() ? plan_.pacing.spacing() : plan_.timeout;
    retry_ = Retry{frame, intended, send, send + budget, message_class};
    return false;
  }

  bool send_again(Instant now) noexcept {
    const SendOutcome outcome = port_.send(retry_.frame);
    if (outcome == SendOutcome::would_block && now < retry_.give_up) {
      return false;
    }
    retry_.frame = {};
    if (outcome == SendOutcome::sent) {
      note_sent(retry_.intended, retry_.send, retry_.message_class);
    } else {
      note_refused();
    }
    return true;
  }

  // Writes the message; its send stamp is read last, and returned.
  Instant emit(std::span<std::byte> frame, std::uint64_t sequence) noexcept {
    switch (form_) {
      case MessageForm::full: {
        write_fill(frame, full_header_bytes, sequence);
        const Instant send = port_.now();
        header_.emit(frame, sequence, send);
        return send;
      }
      case MessageForm::short_header:
        ShortMessage::emit(frame, plan_.shape, sequence);
        write_fill(frame, short_header_bytes, sequence);
        break;
      case MessageForm::tag: TagMessage::emit(frame, sequence); break;
    }
    return port_.now();
  }

  void note_sent(Instant intended, Instant send, MessageClass message_class) noexcept {
    ++record_.accounting.sent;
    if (outstanding_ == 0) {
      oldest_ = next_sequence_;
      if (timeouts_in_a_row_ == 0) {
        silent_since_ = send;
      }
    }
    occupy(Outstanding{intended, send, MessageState::outstanding, message_class});
    ++outstanding_;
    last_send_ = send;
    if (message_class != MessageClass::recorded) {
      return;
    }
    if (plan_.pacing.scheduled()) {
      record_.slip.record(send - intended, next_sequence_ - 1);
    } else if (last_receive_known_) {
      record_.turnaround.record(send - last_receive_, next_sequence_ - 1);
    }
  }

  // The number of a refused message is not used again: the driver may have let parts of it out.
  void note_refused() noexcept {
    ++record_.accounting.refused;
    occupy(Outstanding{});
  }

  // Takes the next sequence number and its entry of the ring, where a message of long ago may still be missing.
  void occupy(const Outstanding& message) noexcept {
    Outstanding& entry = ring_.at(next_sequence_);
    if (entry.state == MessageState::overdue) {
      --overdue_;
      ++lost_beyond_ring_;
    }
    entry = message;
    ++next_sequence_;
  }

  // --- receiving ------------------------------------------------------------------------------------------------

  void take(const Arrival& arrival, Instant now) noexcept {
    ++record_.accounting.frames;
    Reply reply;
    const MessageFault fault = arrival.truncated ? MessageFault::length : read(arrival.bytes, reply);
    switch (fault) {
      case MessageFault::none: match(reply, now); break;
      case MessageFault::length: ++record_.accounting.malformed; break;
      case MessageFault::check: ++record_.accounting.corrupt; break;
      case MessageFault::foreign:
      case MessageFault::session: ++record_.accounting.stray; break;
    }
    const bool cut_lost = stream_ && fault != MessageFault::none && !cut_holds(arrival.bytes);
    port_.release(arrival);
    if (cut_lost) {
      finish(SeriesEnd::desynchronised, now);
    }
  }

  // On a stream an altered fill is one corrupt message; an altered header means that the cuts may be off.
  [[nodiscard]] bool cut_holds(std::span<const std::byte> bytes) const {
    switch (form_) {
      case MessageForm::full: return FullMessage::check(bytes, plan_.shape) == MessageFault::none;
      case MessageForm::short_header: return ShortMessage::check(bytes, plan_.shape) == MessageFault::none;
      case MessageForm::tag: break;
    }
    return true;
  }

  MessageFault read(std::span<const std::byte> bytes, Reply& reply) const noexcept {
    constexpr std::uint8_t echo_reply = static_cast<std::uint8_t>(MessageKind::echo) | reply_bit;
    switch (form_) {
      case MessageForm::full: {
        const MessageFault fault = FullMessage::check(bytes, plan_.shape);
        if (fault != MessageFault::none) {
          return fault;
        }
        reply = Reply{FullMessage::sequence(bytes), FullMessage::client_send(bytes), FullMessage::server_receive(bytes),
                      FullMessage::server_send(bytes)};
        return FullMessage::kind(bytes) != echo_reply ? MessageFault::session
                                                      : fill_fault(bytes, full_header_bytes, reply.sequence);
      }
      case MessageForm::short_header: {
        const MessageFault fault = ShortMessage::check(bytes, plan_.shape);
        if (fault != MessageFault::none) {
          return fault;
        }
        reply.sequence = ShortMessage::sequence(bytes);
        return ShortMessage::kind(bytes) != echo_reply ? MessageFault::session
                                                       : fill_fault(bytes, short_header_bytes, reply.sequence);
      }
      case MessageForm::tag: break;
    }
    if (bytes.size() != plan_.shape.message_bytes) {
      return MessageFault::length;
    }
    if (!TagMessage::is_reply(bytes)) {
      return MessageFault::session;
    }
    reply.sequence = extend_sequence(TagMessage::sequence(bytes), sequence_bits(bytes.size()),
                                     next_sequence_ == 0 ? 0 : next_sequence_ - 1);
    return MessageFault::none;
  }

  static MessageFault fill_fault(std::span<const std::byte> bytes, std::size_t first, std::uint64_t sequence) noexcept {
    return fill_matches(bytes, first, sequence) ? MessageFault::none : MessageFault::check;
  }

  void match(const Reply& reply, Instant now) noexcept {
    if (reply.sequence >= next_sequence_) {
      ++record_.accounting.stray;  // never sent
      return;
    }
    if (next_sequence_ - reply.sequence > OutstandingRing::size()) {
      match_beyond_ring(reply, now);
      return;
    }
    Outstanding& entry = ring_.at(reply.sequence);
    switch (entry.state) {
      case MessageState::unsent: ++record_.accounting.stray; return;
      case MessageState::answered: ++record_.accounting.duplicate; return;
      case MessageState::outstanding: --outstanding_; break;
      case MessageState::overdue: --overdue_; break;
    }
    // Overdue, or found overdue only now.
    const bool late = now - entry.send >= plan_.timeout;
    ++(late ? record_.accounting.late : record_.accounting.answered);
    entry.state = MessageState::answered;
    note_order(reply.sequence);
    note_alive(now);
    record_answer(entry, reply, now, late);
  }

  // So old that its entry is used by a newer message. Whether it was answered before cannot be told; it is a late
  // one as long as one that old is missing.
  void match_beyond_ring(const Reply& reply, Instant now) noexcept {
    if (lost_beyond_ring_ == 0) {
      ++record_.accounting.duplicate;
      return;
    }
    --lost_beyond_ring_;
    ++record_.accounting.late;
    note_alive(now);
    if (form_ == MessageForm::full) {
      const Outstanding entry{Instant{}, reply.client_send, MessageState::answered, MessageClass::recorded};
      record_answer(entry, reply, now, true);
    } else {
      ++record_.accounting.late_untimed;
    }
  }

  void note_order(std::uint64_t sequence) noexcept {
    if (sequence < highest_answered_) {
      ++record_.accounting.reordered;
    } else {
      highest_answered_ = sequence;
    }
    while (oldest_ < next_sequence_ && ring_.at(oldest_).state != MessageState::outstanding) {
      ++oldest_;
    }
  }

  void note_alive(Instant now) noexcept {
    timeouts_in_a_row_ = 0;
    silent_since_ = now;
    last_receive_ = now;
    last_receive_known_ = true;
  }

  void record_answer(const Outstanding& entry, const Reply& reply, Instant now, bool late) noexcept {
    const Duration service = now - entry.send;
    if (service > longest_round_trip_) {
      longest_round_trip_ = service;
    }
    if (entry.message_class == MessageClass::recorded) {
      record_.service.record(service, reply.sequence);
      batch_.add(service);
      if (plan_.pacing.scheduled() && entry.intended > Instant{}) {
        record_.response.record(now - entry.intended, reply.sequence);
      }
      if (form_ == MessageForm::full) {
        record_.residence.record(reply.server_send - reply.server_receive, reply.sequence);
      }
      if (record_.slowest.offer(SlowMessage{service, reply.sequence, entry.intended, entry.send, reply.server_receive,
                                            reply.server_send, now})) {
        log(EventKind::outlier, entry, reply, now, late);
      }
    } else if (entry.message_class == MessageClass::resume) {
      record_.resume.record(service, reply.sequence);
    }
    if (plan_.log_samples) {
      log(EventKind::sample, entry, reply, now, late);
    }
  }

  void log(EventKind kind, const Outstanding& entry, const Reply& reply, Instant now, bool late) noexcept {
    events_.add(Event{kind, entry.message_class, late, reply.sequence, (now - entry.send).ns(), entry.intended,
                      entry.send, reply.server_receive, reply.server_send, now});
  }

  // Marks what has had no answer within the timeout. At most one window's worth of work.
  void expire(Instant now) noexcept {
    while (oldest_ < next_sequence_) {
      Outstanding& entry = ring_.at(oldest_);
      if (entry.state == MessageState::outstanding) {
        if (now - entry.send < plan_.timeout) {
          return;
        }
        entry.state = MessageState::overdue;
        --outstanding_;
        ++overdue_;
        ++timeouts_in_a_row_;
        if (plan_.shape.message_bytes == 1) {
          // 7 bits of sequence: a reply that comes later than now must not meet its successor.
          hold_until_ = now + drain_length();
          ++record_.drain_waits;
        }
      }
      ++oldest_;
    }
  }

  Port& port_;
  ClientPlan plan_;
  MessageForm form_;
  bool stream_;

  Phase phase_ = Phase::resting;
  bool started_ = false;
  bool warming_up_ = false;
  bool schedule_started_ = false;
  bool last_receive_known_ = false;

  std::uint64_t next_sequence_ = 0;
  std::uint64_t oldest_ = 0;  // no message before it is outstanding
  std::uint64_t outstanding_ = 0;
  std::uint64_t overdue_ = 0;
  std::uint64_t lost_beyond_ring_ = 0;
  std::uint64_t highest_answered_ = 0;
  std::uint64_t timeouts_in_a_row_ = 0;
  std::uint64_t warmup_left_;
  std::uint64_t resume_left_ = 0;
  std::uint64_t recorded_attempts_ = 0;
  std::uint64_t sent_in_batch_ = 0;
  std::uint64_t batch_messages_ = 0;

  Instant series_began_;
  Instant batch_began_;
  Instant suspended_at_;
  Instant rest_until_;
  Instant hold_until_;
  Instant last_send_;
  Instant last_receive_;
  Instant silent_since_;
  Duration longest_round_trip_;

  Pacer pacer_;
  Retry retry_;
  BatchRecord batch_;
  FullHeaderTemplate header_;
  GapWatch gaps_;
  EventLog events_;
  std::array<Arrival, limits::receive_batch> arrivals_{};
  SeriesRecord record_;
  OutstandingRing ring_;
};

}  // namespace rtecho
