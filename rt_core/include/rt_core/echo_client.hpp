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
        reply_(plan.shape),
        gaps_(plan.gap_threshold),
        tracker_(plan.timeout) {}

  [[gnu::flatten]] ClientStep step() noexcept {
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
  [[nodiscard]] Instant next_due() const noexcept {
    const bool waiting = tracker_.outstanding() != 0;
    const Instant timeout = waiting ? tracker_.first_timeout() : never;
    switch (phase_) {
      case Phase::resting:
        return earlier(timeout, rest_until_);
      case Phase::running:
        return earlier(timeout, earlier(next_send(), next_end()));
      case Phase::closing:
        return timeout_or_at_once(waiting, timeout);
      case Phase::draining:
        return tracker_.overdue() == 0 ? Instant{} : last_send_ + drain_length();
      case Phase::waking:
      case Phase::done:
        break;
    }
    return Instant{};
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
    switch (phase_) {
      case Phase::running:
        step.worked = run(step.now) || step.worked;
        break;
      case Phase::resting:
        rest(step);
        break;
      case Phase::waking:
        begin_batch(step.now);
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

  void rest(ClientStep& step) noexcept {
    step.resting = step.now < rest_until_;
    if (!step.resting) {
      phase_ = Phase::waking;
      step.worked = true;
      step.edge = progress_.next_batch_records() ? BatchEdge::began : BatchEdge::none;
    }
  }

  void begin_batch(Instant now) noexcept {
    phase_ = Phase::running;
    progress_.begin(now);
    last_receive_known_ = false;
    choose_pacing();
    // A rest suspends the schedule, unless the next slot lies behind it anyway.
    if (on_schedule_ && schedule_started_ && pacer_.intended() < now) {
      pacer_.suspend(now - suspended_at_);
    }
  }

  // What may be decided once for all messages of a kind: the warm-up's, and the others'. A warm-up off the schedule
  // is a ping-pong, however wide the window of the schedule is.
  void choose_pacing() noexcept {
    const bool scheduled = plan_.pacing.scheduled();
    on_schedule_ = scheduled && (!progress_.warming_up() || plan_.warmup_on_schedule);
    has_slots_ = on_schedule_ || (!scheduled && plan_.pacing.burst > 1);
    skips_ = on_schedule_ && plan_.pacing.missed == MissedPolicy::skip;
    window_ = scheduled && !on_schedule_ ? 1 : plan_.pacing.window;
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
    rest_until_ = step.now + plan_.batch.rest_after(progress_.batch_length(step.now), plan_.wait.idle_limit);
    ++record_.rests;
  }

  void record_batch() noexcept {
    record_.batches.add(batch_);
    batch_ = BatchRecord{};
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
    record_.batches.add_to_last(batch_);
    // What is in flight when the user stops is undecided; when the peer is gone, it is lost.
    const bool undecided = end == SeriesEnd::interrupted;
    record_.accounting.lost = tracker_.missing() + (undecided ? 0 : tracker_.outstanding());
    record_.accounting.unresolved = undecided ? tracker_.outstanding() : 0;
    record_.elapsed = progress_.series_length(now);
    record_.end = end;
    phase_ = Phase::done;
  }

  // How long after the last send an answer may still come.
  [[nodiscard]] Duration drain_length() const { return longer(plan_.timeout, longest_round_trip_ * 2); }

  // When time alone ends the batch or the series; a burst is finished first.
  [[nodiscard]] Instant next_end() const { return pacer_.at_slot_start() ? progress_.next_end() : never; }

  static Instant timeout_or_at_once(bool waiting, Instant timeout) { return waiting ? timeout : Instant{}; }

  // --- sending --------------------------------------------------------------------------------------------------

  // Sends what is due, at most sends_per_step messages. True where something was sent or attempted.
  bool run(Instant now) noexcept {
    if (!retry_.frame.empty()) {
      return send_again(now);
    }
    bool sent = false;
    unsigned left = sends_per_step;
    do {
      if (pacer_.at_slot_start() ? progress_.batch_is_over(now) : progress_.nothing_is_left(now)) {
        close_batch(now);
        break;
      }
      if (on_schedule_ && !is_on_schedule(now)) {
        break;
      }
      if (next_send() > now) {
        break;
      }
      sent = true;
      if (!send_next(now)) {
        break;
      }
    } while (--left != 0 && tracker_.outstanding() < window_ && phase_ == Phase::running);
    return sent;
  }

  // Starts the schedule with its first message; leaves out slots that have passed wholly, if they shall be. False
  // where more of them are left than a step may go through, or the series ended with them.
  bool is_on_schedule(Instant now) noexcept {
    if (!schedule_started_) {
      schedule_started_ = true;
      pacer_.start(now);
    }
    if (!skips_) {
      return true;
    }
    for (unsigned i = 0; pacer_.at_slot_start() && pacer_.next_slot() <= now; ++i) {
      if (i == skips_per_step || progress_.series_is_over(now)) {
        return false;
      }
      skip_slot(now);
    }
    return !progress_.series_is_over(now);
  }

  void skip_slot(Instant now) noexcept {
    do {
      (void)attempt(now);
      ++record_.accounting.skipped;
      pacer_.advance();
    } while (!pacer_.at_slot_start() && !progress_.series_is_over(now));
  }

  // When the window and the schedule allow the next message; never: not before an answer or a timeout.
  [[nodiscard]] Instant next_send() const {
    if (!retry_.frame.empty()) {
      return Instant{};
    }
    // Without a schedule, a burst begins when the last one is answered.
    const bool burst_waits = has_slots_ && !on_schedule_ && pacer_.at_slot_start() && tracker_.outstanding() != 0;
    if (tracker_.outstanding() >= window_ || burst_waits) {
      return never;
    }
    return on_schedule_ && schedule_started_ && pacer_.intended() > hold_until_ ? pacer_.intended() : hold_until_;
  }

  // What the message that is attempted now is sent for, counted.
  MessageClass attempt(Instant now) noexcept {
    ++record_.accounting.attempted;
    const MessageClass message_class = progress_.next(now);
    if (message_class == MessageClass::resume) {
      ++record_.accounting.resume;
    } else if (message_class == MessageClass::warmup) {
      ++record_.accounting.warmup;
      choose_pacing();  // it may have been the last one, and no rest follows
    }
    return message_class;
  }

  // False where the port would not take it: the frame is kept for send_again.
  bool send_next(Instant now) noexcept {
    const Instant intended = on_schedule_ ? pacer_.intended() : Instant{};
    if (has_slots_) {
      pacer_.advance();
    }
    const MessageClass message_class = attempt(now);
    const std::span<std::byte> frame = port_.acquire(plan_.shape.message_bytes);
    if (frame.empty()) {
      ++record_.accounting.refused;  // every frame is in use
      return true;
    }
    const Instant send = request_.write(frame, tracker_.next_sequence(), port_);
    const SendOutcome outcome = port_.send(frame);
    if (outcome == SendOutcome::sent) {
      note_sent(intended, send, message_class);
      return true;
    }
    if (outcome == SendOutcome::failed) {
      note_failed(send);
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
    } else if (outcome == SendOutcome::failed) {
      note_failed(now);
    } else {
      ++record_.accounting.refused;
    }
    return true;
  }

  // A stream that takes nothing more is gone, and every further attempt would fail like this one.
  void note_failed(Instant now) noexcept {
    ++record_.accounting.refused;
    if (stream_) {
      finish(SeriesEnd::peer_lost, now);
    }
  }

  void note_sent(Instant intended, Instant send, MessageClass message_class) noexcept {
    const std::uint64_t sequence = tracker_.next_sequence();
    ++record_.accounting.sent;
    tracker_.sent(intended, send, message_class);
    last_send_ = send;
    if (message_class != MessageClass::recorded) {
      return;
    }
    if (intended > Instant{}) {
      record_.slip.record(send - intended, sequence);
    } else if (last_receive_known_ && !plan_.pacing.scheduled()) {
      record_.turnaround.record(send - last_receive_, sequence);
    }
  }

  // --- receiving ------------------------------------------------------------------------------------------------

  void take(const Arrival& arrival, Instant now) noexcept {
    if (phase_ == Phase::done) {
      port_.release(arrival);  // the series ended within this look
      return;
    }
    ++record_.accounting.frames;
    Reply reply;
    const MessageFault fault =
        arrival.truncated ? MessageFault::length : reply_.read(arrival.bytes, tracker_.next_sequence(), reply);
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
      case MatchKind::answered:
        ++accounting.answered;
        break;
      case MatchKind::late:
        ++accounting.late;
        break;
      case MatchKind::late_beyond_ring:
        answer_beyond_ring(reply, now);
        return;
      case MatchKind::duplicate:
        ++accounting.duplicate;
        return;
      case MatchKind::stray:
        ++accounting.stray;
        return;
    }
    accounting.reordered += match.reordered ? 1U : 0U;
    last_receive_ = now;
    last_receive_known_ = true;
    record_answer(*match.message, reply, now, match.kind == MatchKind::late);
  }

  // The full form brings its own send stamp back; in the others it is gone.
  void answer_beyond_ring(const Reply& reply, Instant now) noexcept {
    ++record_.accounting.late;
    if (form_ != MessageForm::full) {
      ++record_.accounting.late_untimed;
      return;
    }
    record_answer(SentMessage{Instant{}, reply.client_send, MessageState::answered}, reply, now, true);
  }

  void record_answer(const SentMessage& message, const Reply& reply, Instant now, bool late) noexcept {
    const Duration service = now - message.send;
    // Without a check, a late reply may be an altered one that met a message of long ago.
    if (service > longest_round_trip_ && (!late || form_ == MessageForm::full)) {
      longest_round_trip_ = service;
    }
    if (message.message_class == MessageClass::recorded) {
      record_.service.record(service, reply.sequence);
      batch_.add(service);
      if (message.intended > Instant{}) {
        record_.response.record(now - message.intended, reply.sequence);
      }
      if (form_ == MessageForm::full) {
        record_.residence.record(reply.server_send - reply.server_receive, reply.sequence);
      }
      if (record_.slowest.admits(service)) {
        record_.slowest.offer(SlowMessage{service, reply.sequence, message.intended, message.send, reply.server_receive,
                                          reply.server_send, now});
        log(EventKind::outlier, message, reply, now, late);
      }
    } else if (message.message_class == MessageClass::resume) {
      record_.resume.record(service, reply.sequence);
    }
    if (plan_.log_samples) {
      log(EventKind::sample, message, reply, now, late);
    }
  }

  void log(EventKind kind, const SentMessage& message, const Reply& reply, Instant now, bool late) noexcept {
    events_.add(Event{kind, message.message_class, late, reply.sequence, (now - message.send).ns(), message.intended,
                      message.send, reply.server_receive, reply.server_send, now});
  }

  void expire(Instant now) noexcept {
    if (tracker_.expire(now) == 0) {
      return;
    }
    last_receive_known_ = false;  // the next message follows a timeout, not an answer
    if (plan_.shape.message_bytes == 1) {
      // 7 bits of sequence: a reply that comes later than now must not meet its successor.
      hold_until_ = now + drain_length();
      ++record_.drain_waits;
    }
    if (tracker_.peer_is_lost(now) && (phase_ == Phase::running || phase_ == Phase::closing)) {
      finish(SeriesEnd::peer_lost, now);
    }
  }

  Port& port_;
  ClientPlan plan_;
  MessageForm form_;
  bool stream_;

  Phase phase_ = Phase::resting;
  bool on_schedule_ = false;  // of the messages sent now: see choose_pacing()
  bool has_slots_ = false;
  bool skips_ = false;
  bool schedule_started_ = false;
  bool last_receive_known_ = false;
  std::uint32_t window_ = 1;

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
  ReplyReader reply_;
  GapWatch gaps_;
  EventLog events_;
  std::array<Arrival, limits::receive_batch> arrivals_{};
  SeriesRecord record_;
  MessageTracker tracker_;
};

}  // namespace rtecho
