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

#include "rt_core/batch_progress.hpp"
#include "rt_core/event_log.hpp"
#include "rt_core/gap_watch.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/message_tracker.hpp"
#include "rt_core/pacer.hpp"
#include "rt_core/reply.hpp"
#include "rt_core/request.hpp"
#include "rt_core/run_plan.hpp"
#include "rt_core/series_record.hpp"

namespace rtecho {

enum class BatchEdge : std::uint8_t { none, began, ended };

struct ClientStep {
  Instant now;                       // when the port was looked at
  bool worked = false;               // something arrived, was sent, or a rest ended
  bool resting = false;              // nothing will be sent before next_due(): wait, do not spin
  BatchEdge edge = BatchEdge::none;  // of batches with recorded messages
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
        progress_(plan),
        pacer_(plan.pacing),
        request_(plan.shape),
        gaps_(plan.gap_threshold),
        tracker_(plan.timeout) {}

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
    if (tracker_.outstanding() != 0 && now >= tracker_.first_timeout()) {
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
    const Instant due = tracker_.outstanding() != 0 ? tracker_.first_timeout() : never;
    switch (phase_) {
      case Phase::resting:
        return earlier(due, rest_until_);
      case Phase::draining:
        return earlier(due, last_send_ + drain_length());
      case Phase::running:
        return earlier(due, next_send());
      case Phase::waking:
        return Instant{};
      case Phase::closing:
      case Phase::done:
        break;
    }
    return due;
  }

  [[nodiscard]] const SeriesRecord& record() const { return record_; }
  [[nodiscard]] const GapWatch& gaps() const { return gaps_; }
  [[nodiscard]] EventLog& events() { return events_; }

 private:
  enum class Phase : std::uint8_t {
    resting,  // until rest_until_; the start of a series is the end of a rest of no length
    waking,   // the caller has sampled its counters: the batch begins with the next step
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

  static constexpr Instant never = Instant::from_ns(std::numeric_limits<std::int64_t>::max());
  static constexpr unsigned sends_per_step = 16;
  static constexpr unsigned skips_per_step = 64;

  // --- phases ---------------------------------------------------------------------------------------------------

  void advance_phase(ClientStep& step) noexcept {
    const bool sending = phase_ == Phase::running || phase_ == Phase::closing;
    if (sending && tracker_.peer_is_lost(step.now)) {
      finish(SeriesEnd::peer_lost, step.now);
    }
    switch (phase_) {
      case Phase::resting:
        step.resting = step.now < rest_until_;
        if (!step.resting) {
          phase_ = Phase::waking;
          step.worked = true;
          step.edge = progress_.next_batch_records() ? BatchEdge::began : BatchEdge::none;
        }
        break;
      case Phase::waking:
        begin_batch(step.now);
        [[fallthrough]];
      case Phase::running:
        step.worked = run(step.now) || step.worked;
        break;
      case Phase::closing:
        if (tracker_.outstanding() == 0) {
          end_batch(step);
        }
        break;
      case Phase::draining:
        step.resting = true;
        if (tracker_.overdue() == 0 || step.now >= last_send_ + drain_length()) {
          finish(SeriesEnd::complete, step.now);
        }
        break;
      case Phase::done:
        break;
    }
  }

  void begin_batch(Instant now) noexcept {
    phase_ = Phase::running;
    progress_.begin(now);
    batch_ = BatchRecord{};
    last_receive_known_ = false;
    if (!on_schedule()) {
      return;
    }
    if (schedule_started_) {
      pacer_.suspend(now - suspended_at_);
    } else {
      start_schedule(now);
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
    if (!progress_.warming_up()) {
      record_batch();
      step.edge = BatchEdge::ended;
    }
    if (progress_.series_is_over(step.now)) {
      phase_ = Phase::draining;
      return;
    }
    phase_ = Phase::resting;
    rest_until_ = step.now + progress_.rest_length(step.now);
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
    if (!progress_.warming_up() && (phase_ == Phase::running || phase_ == Phase::closing)) {
      record_batch();
    }
    record_.accounting.lost = tracker_.missing();
    record_.accounting.unresolved = tracker_.outstanding();
    record_.elapsed = progress_.series_length(now);
    record_.end = end;
    phase_ = Phase::done;
  }

  // How long after the last send an answer may still come.
  [[nodiscard]] Duration drain_length() const { return longer(plan_.timeout, longest_round_trip_ * 2); }

  // --- sending --------------------------------------------------------------------------------------------------

  [[nodiscard]] bool on_schedule() const {
    return plan_.pacing.scheduled() && (!progress_.warming_up() || plan_.warmup_on_schedule);
  }

  // Sends what is due, at most sends_per_step messages. True where something was sent.
  bool run(Instant now) noexcept {
    if (!retry_.frame.empty()) {
      return send_again(now);
    }
    bool sent = false;
    for (unsigned i = 0; i < sends_per_step; ++i) {
      if (pacer_.at_slot_start() && progress_.batch_is_over(now)) {
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

  // A warm-up off the schedule is a ping-pong, however wide the window of the schedule is.
  [[nodiscard]] std::uint32_t window() const {
    return plan_.pacing.scheduled() && !on_schedule() ? 1 : plan_.pacing.window;
  }

  // When the window and the schedule allow the next message; never: not before an answer or a timeout.
  [[nodiscard]] Instant next_send() const {
    if (!retry_.frame.empty()) {
      return Instant{};
    }
    const bool burst_waits =
        !on_schedule() && plan_.pacing.burst > 1 && pacer_.at_slot_start() && tracker_.outstanding() != 0;
    if (tracker_.outstanding() >= window() || burst_waits) {
      return never;
    }
    return on_schedule() && pacer_.intended() > hold_until_ ? pacer_.intended() : hold_until_;
  }

  void skip_missed_slots(Instant now) noexcept {
    for (unsigned i = 0; i < skips_per_step && pacer_.at_slot_start() && pacer_.next_slot() <= now; ++i) {
      for (std::uint32_t k = 0; k < plan_.pacing.burst; ++k) {
        (void)attempt();
        ++record_.accounting.skipped;
        pacer_.advance();
      }
    }
  }

  // What the message that is attempted now is sent for, counted.
  MessageClass attempt() noexcept {
    const bool was_warming_up = progress_.warming_up();
    const MessageClass message_class = progress_.next();
    ClientAccounting& accounting = record_.accounting;
    ++accounting.attempted;
    accounting.warmup += message_class == MessageClass::warmup ? 1U : 0U;
    accounting.resume += message_class == MessageClass::resume ? 1U : 0U;
    if (was_warming_up && !progress_.warming_up()) {
      leave_warmup();
    }
    return message_class;
  }

  // Without rests the recorded messages follow where the warm-up ends.
  void leave_warmup() noexcept {
    progress_.begin_recording(last_send_);
    if (plan_.pacing.scheduled() && !schedule_started_) {
      start_schedule(last_send_);
    }
  }

  // False where the port would not take it: the frame is kept for send_again.
  bool send_next() noexcept {
    const std::uint64_t sequence = tracker_.next_sequence();
    const Instant intended = on_schedule() ? pacer_.intended() : Instant{};
    if (on_schedule() || plan_.pacing.burst > 1) {
      pacer_.advance();
    }
    const MessageClass message_class = attempt();
    const std::span<std::byte> frame = port_.acquire(plan_.shape.message_bytes);
    if (frame.empty()) {
      note_refused();  // every frame is in use
      return true;
    }
    const Instant send = request_.write(frame, sequence, port_);
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

  void note_sent(Instant intended, Instant send, MessageClass message_class) noexcept {
    const std::uint64_t sequence = tracker_.next_sequence();
    ++record_.accounting.sent;
    tracker_.sent(intended, send, message_class);
    last_send_ = send;
    if (message_class != MessageClass::recorded) {
      return;
    }
    if (plan_.pacing.scheduled()) {
      record_.slip.record(send - intended, sequence);
    } else if (last_receive_known_) {
      record_.turnaround.record(send - last_receive_, sequence);
    }
  }

  void note_refused() noexcept {
    ++record_.accounting.refused;
    tracker_.refused();
  }

  // --- receiving ------------------------------------------------------------------------------------------------

  void take(const Arrival& arrival, Instant now) noexcept {
    ++record_.accounting.frames;
    Reply reply;
    const std::uint64_t sent = tracker_.next_sequence();
    const MessageFault fault = arrival.truncated
                                   ? MessageFault::length
                                   : read_reply(arrival.bytes, plan_.shape, sent == 0 ? 0 : sent - 1, reply);
    if (fault == MessageFault::none) {
      answer(reply, now);
    } else {
      count_fault(fault);
    }
    port_.release(arrival);
    // On a stream an altered fill is one corrupt message; an altered header means that the cuts may be off.
    if (stream_ && (fault == MessageFault::foreign || fault == MessageFault::check)) {
      finish(SeriesEnd::desynchronised, now);
    }
  }

  // The equation frames = answered + late + duplicate + corrupt + malformed + stray, reason by reason.
  void count_fault(MessageFault fault) noexcept {
    ClientAccounting& accounting = record_.accounting;
    switch (fault) {
      case MessageFault::length:
        ++accounting.malformed;
        break;
      case MessageFault::check:
      case MessageFault::fill:
        ++accounting.corrupt;
        break;
      case MessageFault::foreign:
      case MessageFault::session:
      case MessageFault::kind:
        ++accounting.stray;
        break;
      case MessageFault::none:
        break;
    }
  }

  void answer(const Reply& reply, Instant now) noexcept {
    const Match match = tracker_.match(reply.sequence, now);
    ClientAccounting& accounting = record_.accounting;
    switch (match.kind) {
      case MatchKind::stray:
        ++accounting.stray;
        return;
      case MatchKind::duplicate:
        ++accounting.duplicate;
        return;
      case MatchKind::answered:
        ++accounting.answered;
        break;
      case MatchKind::late:
        ++accounting.late;
        break;
      case MatchKind::late_beyond_ring:
        ++accounting.late;
        if (form_ != MessageForm::full) {
          ++accounting.late_untimed;
          return;
        }
        break;
    }
    accounting.reordered += match.reordered ? 1U : 0U;
    last_receive_ = now;
    last_receive_known_ = true;
    if (match.kind == MatchKind::late_beyond_ring) {
      // The full form brings its own send stamp back.
      record_answer(SentMessage{Instant{}, reply.client_send, MessageState::answered}, reply, now, true);
    } else {
      record_answer(match.message, reply, now, match.kind == MatchKind::late);
    }
  }

  void record_answer(const SentMessage& entry, const Reply& reply, Instant now, bool late) noexcept {
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

  void log(EventKind kind, const SentMessage& entry, const Reply& reply, Instant now, bool late) noexcept {
    events_.add(Event{kind, entry.message_class, late, reply.sequence, (now - entry.send).ns(), entry.intended,
                      entry.send, reply.server_receive, reply.server_send, now});
  }

  void expire(Instant now) noexcept {
    if (tracker_.expire(now) != 0 && plan_.shape.message_bytes == 1) {
      // 7 bits of sequence: a reply that comes later than now must not meet its successor.
      hold_until_ = now + drain_length();
      ++record_.drain_waits;
    }
  }

  Port& port_;
  ClientPlan plan_;
  MessageForm form_;
  bool stream_;

  Phase phase_ = Phase::resting;
  bool schedule_started_ = false;
  bool last_receive_known_ = false;

  Instant suspended_at_;
  Instant rest_until_;
  Instant hold_until_;
  Instant last_send_;
  Instant last_receive_;
  Duration longest_round_trip_;

  BatchProgress progress_;
  Pacer pacer_;
  Retry retry_;
  BatchRecord batch_;
  RequestWriter request_;
  GapWatch gaps_;
  EventLog events_;
  std::array<Arrival, limits::receive_batch> arrivals_{};
  SeriesRecord record_;
  MessageTracker tracker_;
};

}  // namespace rtecho
