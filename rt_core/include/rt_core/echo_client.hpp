// The client's step: look at the port, stamp, match and record what came, then send what is due. One thread owns
// it; it allocates, locks, prints and waits for nothing. What it needs from its caller is told by the step it
// returns: that a batch began or ended (sample the counters of the machine now), that it rests (wait on the port),
// that it is done.
//
// An EchoClient is about 3.4 MiB: construct it in memory that was mapped, touched and locked before the run.
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
        reading_(form_ == MessageForm::full ? Reading::full : Reading::small),
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
    if (gap > Duration{}) [[unlikely]] {
      events_.add(Event{.kind = EventKind::gap, .value_ns = gap.ns(), .send = now});
    }
    if (count == 1) [[likely]] {
      take(arrivals_[0], now);
    } else {
      take_all(count, now);
    }
    // Most steps of a ping-pong, before anything else is asked: go_on() would come to the same.
    if (tracker_.outstanding() == 0 && is_in_stretch(now)) [[likely]] {
      run_stretch(now);
      return ClientStep{.now = now, .worked = true};
    }
    return go_on(ClientStep{.now = now, .worked = count != 0});
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
        return tracker_.overdue() == 0 ? Instant{} : tracker_.last_send() + drain_length();
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

  // What is made of an arrival; nothing after the end.
  enum class Reading : std::uint8_t { full, small, nothing };

  struct Retry {
    std::span<std::byte> frame;
    Instant intended;
    Instant send;     // of the first attempt
    Instant give_up;  // the end of the slot's budget
    MessageClass message_class = MessageClass::recorded;
  };

  struct Answer {
    Instant receive;
    bool late = false;
  };

  static constexpr Instant never = Instant::from_ns(std::numeric_limits<std::int64_t>::max());
  static constexpr unsigned sends_per_step = 16;
  static constexpr unsigned skips_per_step = 64;

  // Timeouts, phases, a window that is open or full: whatever a step may have to do after its arrivals.
  [[gnu::noinline]] ClientStep go_on(ClientStep step) noexcept {
    if (tracker_.outstanding() != 0 && step.now >= tracker_.first_timeout()) {
      expire(step.now);
    }
    if (!is_in_stretch(step.now)) {
      advance_phase(step);
    } else if (tracker_.outstanding() < window_) {
      run_stretch(step.now);
      step.worked = true;
    }
    return step;
  }

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
        if (tracker_.overdue() == 0 || step.now >= tracker_.last_send() + drain_length()) {
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
    last_receive_ = Instant{};
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
    unpaced_ = false;
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
    ordinary_span_ = 0;
    const std::int64_t max_ns = record_.service.max().value_or(Duration{}).ns();
    events_.add(Event{.kind = EventKind::batch, .sequence = record_.service.n(), .value_ns = max_ns});
  }

  [[gnu::noinline, gnu::cold]] void finish(SeriesEnd end, Instant now) noexcept {
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
    reading_ = Reading::nothing;
    unpaced_ = false;
  }

  // How long after the last send an answer may still come.
  [[nodiscard]] Duration drain_length() const { return longer(plan_.timeout, longest_round_trip_ * 2); }

  // When time alone ends the batch or the series; a burst is finished first.
  [[nodiscard]] Instant next_end() const { return pacer_.at_slot_start() ? progress_.next_end() : never; }

  static Instant timeout_or_at_once(bool waiting, Instant timeout) { return waiting ? timeout : Instant{}; }

  // --- sending --------------------------------------------------------------------------------------------------

  // Sends what is due, at most sends_per_step messages. True where something was sent or attempted.
  bool run(Instant now) noexcept {
    const bool sent = retry_.frame.empty() ? send_due(now, sends_per_step) : send_again(now);
    unpaced_ = phase_ == Phase::running && !has_slots_ && retry_.frame.empty() && now >= hold_until_;
    return sent;
  }

  // Nothing but the window decides when the next message is sent, and it is a recorded one.
  [[nodiscard]] bool is_in_stretch(Instant now) const { return unpaced_ && progress_.is_in_stretch(now); }

  // What run() comes to in a stretch whose window has room.
  void run_stretch(Instant now) noexcept {
    progress_.next_of_stretch();
    ++record_.accounting.attempted;
    if (send_message(Instant{}, MessageClass::recorded) && tracker_.outstanding() < window_) [[unlikely]] {
      send_due(now, sends_per_step - 1);
    }
  }

  // Asks for each message whether it is due: of any class, on a schedule or not. True where one was attempted.
  [[gnu::noinline]] bool send_due(Instant now, unsigned left) noexcept {
    bool sent = false;
    for (; left != 0 && phase_ == Phase::running; --left) {
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
      if (!send_next(now) || tracker_.outstanding() >= window_) {
        break;
      }
    }
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
    return send_message(intended, attempt(now));
  }

  // False where the port would not take it: the frame is kept for send_again.
  bool send_message(Instant intended, MessageClass message_class) noexcept {
    const std::span<std::byte> frame = port_.acquire(plan_.shape.message_bytes);
    if (frame.empty()) [[unlikely]] {
      ++record_.accounting.refused;  // every frame is in use
      return true;
    }
    const Instant send = request_.write(frame, tracker_.next_sequence(), port_);
    const SendOutcome outcome = port_.send(frame);
    if (outcome == SendOutcome::sent) [[likely]] {
      note_sent(intended, send, message_class);
      return true;
    }
    if (outcome == SendOutcome::failed) {
      note_failed(send);
      return phase_ == Phase::running;
    }
    keep_for_retry(Retry{frame, intended, send, send, message_class});
    return false;
  }

  [[gnu::noinline]] void keep_for_retry(Retry retry) noexcept {
    retry.give_up = retry.send + (plan_.pacing.scheduled() ? plan_.pacing.spacing() : plan_.timeout);
    retry_ = retry;
    unpaced_ = false;
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
    if (message_class != MessageClass::recorded) {
      return;
    }
    if (intended > Instant{}) {
      record_.slip.record(send - intended, sequence);
    } else if (last_receive_ > Instant{}) [[likely]] {
      record_.turnaround.record(send - last_receive_, sequence);
    }
  }

  // --- receiving ------------------------------------------------------------------------------------------------

  // Most looks bring one message, and a loop around it costs more than it seems: what it keeps for a next turn.
  [[gnu::noinline]] void take_all(std::size_t count, Instant now) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      take(arrivals_[i], now);
    }
  }

  void take(const Arrival& arrival, Instant now) noexcept {
    if (reading_ == Reading::full) [[likely]] {
      take_full(arrival, now);
    } else if (reading_ == Reading::small) {
      take_small(arrival, now);
    } else {
      port_.release(arrival);  // the series ended within this look
    }
  }

  void take_full(const Arrival& arrival, Instant now) noexcept {
    ++record_.accounting.frames;
    Reply reply;
    const MessageFault fault = arrival.truncated ? MessageFault::length : reply_.read_full(arrival.bytes, reply);
    if (fault != MessageFault::none) [[unlikely]] {
      refuse(arrival, fault, now);
      return;
    }
    answer(arrival, reply, MessageForm::full, now);
    port_.release(arrival);
  }

  [[gnu::noinline]] void take_small(const Arrival& arrival, Instant now) noexcept {
    ++record_.accounting.frames;
    Reply reply;
    const MessageFault fault =
        arrival.truncated ? MessageFault::length : reply_.read_small(arrival.bytes, tracker_.next_sequence(), reply);
    if (fault != MessageFault::none) [[unlikely]] {
      refuse(arrival, fault, now);
      return;
    }
    answer(arrival, reply, form_, now);
    port_.release(arrival);
  }

  [[gnu::noinline, gnu::cold]] void refuse(const Arrival& arrival, MessageFault fault, Instant now) noexcept {
    count_fault(fault);
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

  void answer(const Arrival& arrival, const Reply& reply, MessageForm form, Instant now) noexcept {
    const SentMessage* const message = tracker_.match_oldest(reply.sequence, now);
    if (message == nullptr) [[unlikely]] {
      answer_out_of_order(arrival, now);
      return;
    }
    ++record_.accounting.answered;
    last_receive_ = now;
    record_answer(*message, reply, form, Answer{now, false});
  }

  // Overtaken, late, or not the first answer. It is read again, so that the common path keeps nothing for this one.
  [[gnu::noinline]] void answer_out_of_order(const Arrival& arrival, Instant now) noexcept {
    Reply reply;
    (void)reply_.read(arrival.bytes, tracker_.next_sequence(), reply);  // a good one, as answer() knows
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
    record_answer(*match.message, reply, form_, Answer{now, match.kind == MatchKind::late});
  }

  // The full form brings its own send stamp back; in the others it is gone.
  void answer_beyond_ring(const Reply& reply, Instant now) noexcept {
    ++record_.accounting.late;
    if (form_ != MessageForm::full) {
      ++record_.accounting.late_untimed;
      return;
    }
    record_answer(SentMessage{Instant{}, reply.client_send, MessageState::answered}, reply, form_, Answer{now, true});
  }

  // `form` is form_; the common path knows it without looking.
  void record_answer(const SentMessage& message, const Reply& reply, MessageForm form, Answer answer) noexcept {
    const Duration service = answer.receive - message.send;
    if (message.message_class == MessageClass::recorded) [[likely]] {
      if (form == MessageForm::full) {
        record_.residence.record(reply.server_send - reply.server_receive, reply.sequence);
      }
      if (is_ordinary(service)) [[likely]] {
        record_.service.record_ordinary(service);
        ++batch_.n;
        return;
      }
    }
    const SlowMessage stamps{service,           reply.sequence, message.intended, message.send, reply.server_receive,
                             reply.server_send, answer.receive};
    record_in_full(stamps, message.message_class, answer.late);
  }

  // One test for many questions: no extreme of its batch, no longest round trip, none of the slowest, nothing else
  // that this plan wants of every message. It is then only counted and summed.
  [[nodiscard]] bool is_ordinary(Duration service) const {
    return static_cast<std::uint64_t>(service.ns()) - static_cast<std::uint64_t>(batch_.min.ns()) < ordinary_span_;
  }

  // What is left to do for a message of any class and length.
  [[gnu::noinline]] void record_in_full(SlowMessage message, MessageClass message_class, bool late) noexcept {
    // Without a check, a late reply may be an altered one that met a message of long ago.
    if (message.length > longest_round_trip_ && (!late || form_ == MessageForm::full)) {
      longest_round_trip_ = message.length;
    }
    if (message_class == MessageClass::recorded) {
      record_extremes(message, late);
    } else if (message_class == MessageClass::resume) {
      record_.resume.record(message.length, message.sequence);
    }
    if (plan_.log_samples) {
      log(EventKind::sample, message, message_class, late);
    }
  }

  void record_extremes(const SlowMessage& message, bool late) noexcept {
    record_.service.record(message.length, message.sequence);
    batch_.add(message.length);
    if (message.intended > Instant{}) {
      record_.response.record(message.receive - message.intended, message.sequence);
    }
    if (record_.slowest.offer(message)) {
      log(EventKind::outlier, message, MessageClass::recorded, late);
    }
    find_ordinary();
  }

  // To be called after each change of what is_ordinary() stands for.
  void find_ordinary() noexcept {
    const bool wants_every_message = plan_.pacing.scheduled() || plan_.log_samples;
    const Duration longest = shorter(shorter(batch_.max, longest_round_trip_), record_.slowest.limit());
    const Duration end = shorter(longest + Duration::from_ns(1), Histogram::ordinary_end());
    const bool none = wants_every_message || batch_.min < Duration{} || end < batch_.min;
    ordinary_span_ = none ? 0 : static_cast<std::uint64_t>((end - batch_.min).ns());
  }

  void log(EventKind kind, const SlowMessage& message, MessageClass message_class, bool late) noexcept {
    events_.add(Event{kind, message_class, late, message.sequence, message.length.ns(), message.intended, message.send,
                      message.server_receive, message.server_send, message.receive});
  }

  [[gnu::noinline]] void expire(Instant now) noexcept {
    if (tracker_.expire(now) == 0) {
      return;
    }
    last_receive_ = Instant{};  // the next message follows a timeout, not an answer
    if (plan_.shape.message_bytes == 1) {
      // 7 bits of sequence: a reply that comes later than now must not meet its successor.
      hold_until_ = now + drain_length();
      unpaced_ = false;
      ++record_.drain_waits;
    }
    if (tracker_.peer_is_lost(now) && (phase_ == Phase::running || phase_ == Phase::closing)) {
      finish(SeriesEnd::peer_lost, now);
    }
  }

  Port& port_;
  ClientPlan plan_;
  MessageForm form_;
  Reading reading_;
  bool stream_;

  Phase phase_ = Phase::resting;
  bool on_schedule_ = false;  // of the messages sent now: see choose_pacing()
  bool has_slots_ = false;
  bool skips_ = false;
  bool schedule_started_ = false;
  bool unpaced_ = false;  // running, and nothing but the window decides when the next message is sent
  std::uint64_t window_ = 1;

  Instant suspended_at_;
  Instant rest_until_;
  Instant hold_until_;
  Instant last_receive_;  // 0: the next message does not follow an answer
  Duration longest_round_trip_;
  std::uint64_t ordinary_span_ = 0;  // see is_ordinary(): from the batch's minimum on

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
