#include "drivers/trace_port.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <memory>
#include <vector>

namespace rtecho::drivers {
namespace {

using Frame = std::vector<std::byte>;

// Does what the test wrote down.
class FakeFramePort {
 public:
  Instant clock = Instant::from_ns(1'000);
  SendOutcome outcome = SendOutcome::sent;
  std::vector<Frame> sent;

  void arrive(Frame frame, bool truncated = false) { inbox_.push_back({std::move(frame), truncated}); }

  [[nodiscard]] Instant now() noexcept { return clock; }
  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept {
    lent_.clear();
    while (lent_.size() < arrivals.size() && !inbox_.empty()) {
      lent_.push_back(std::move(inbox_.front()));
      inbox_.pop_front();
    }
    for (std::size_t i = 0; i < lent_.size(); ++i) {
      arrivals[i] = FrameArrival{.bytes = lent_[i].frame, .truncated = lent_[i].truncated};
    }
    return lent_.size();
  }
  SendOutcome reply(const FrameArrival&, std::span<std::byte> frame) noexcept { return send(frame); }
  void release(const FrameArrival&) noexcept {}
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
    frame_.resize(bytes);
    return frame_;
  }
  SendOutcome send(std::span<std::byte> frame) noexcept {
    if (outcome == SendOutcome::sent) {
      sent.emplace_back(frame.begin(), frame.end());
    }
    return outcome;
  }
  void wait(Instant until) noexcept { clock = until; }
  [[nodiscard]] FrameCapabilities capabilities() const noexcept { return {.frame_bytes_max = 1'514}; }
  [[nodiscard]] PortHealth health() const noexcept { return PortHealth::stalled; }
  [[nodiscard]] PortCounters counters() const noexcept { return {.truncated = 7}; }

 private:
  struct Incoming {
    Frame frame;
    bool truncated = false;
  };
  std::deque<Incoming> inbox_;
  std::vector<Incoming> lent_;
  Frame frame_;
};

using Trace = TracePort<FakeFramePort, 3>;
static_assert(FramePort<Trace>);

constexpr std::size_t slot_bytes = 64;

struct Rig {
  explicit Rig(std::uint32_t message_bytes) : shape{message_bytes, 0x1122'3344'5566'7788} {}

  [[nodiscard]] Frame frame(std::uint64_t sequence, bool is_reply, MessageKind kind = MessageKind::echo) const {
    const std::size_t padded = shape.message_bytes < 44 ? 44 : shape.message_bytes;
    Frame frame(16 + padded);
    EthernetHeader{.destination = {}, .source = {}, .tag = {}, .type = ether_type::echo}.emit(frame);
    store_big_endian<std::uint16_t>(frame, 14, static_cast<std::uint16_t>(shape.message_bytes));
    const auto message = std::span(frame).subspan(16, shape.message_bytes);
    switch (shape.form()) {
      case MessageForm::full:
        FullHeaderTemplate(shape, kind).emit(message.first<full_header_bytes>(), sequence, Instant::from_ns(1));
        if (is_reply) {
          turn_full_message(message, FullFields{.sequence = sequence, .check = full_header_sum(message)}, {}, {}, 0);
        }
        break;
      case MessageForm::short_header:
        ShortMessage::emit(message, shape, sequence);
        message[3] = std::byte{static_cast<std::uint8_t>(static_cast<unsigned>(kind) | (is_reply ? reply_bit : 0U))};
        break;
      case MessageForm::tag:
        TagMessage::emit(message, sequence);
        message[0] |= is_reply ? std::byte{reply_bit} : std::byte{0};
        break;
    }
    return frame;
  }

  void send(std::uint64_t sequence) {
    Frame request = frame(sequence, false);
    trace->send(request);
  }
  std::size_t arrive(Frame incoming, bool truncated = false) {
    port.arrive(std::move(incoming), truncated);
    return trace->receive(arrivals);
  }
  // At a client.
  void exchange(std::uint64_t sequence, std::int64_t length_ns) {
    port.clock += Duration::from_ns(1'000);
    send(sequence);
    port.clock += Duration::from_ns(length_ns);
    arrive(frame(sequence, true));
  }

  MessageShape shape;
  FakeFramePort port;
  std::array<FrameArrival, 4> arrivals;
  std::unique_ptr<std::array<std::byte, FrameBlock::bytes_for(Trace::slots, slot_bytes)>, void (*)(void*)> memory{
      static_cast<std::array<std::byte, FrameBlock::bytes_for(Trace::slots, slot_bytes)>*>(
          std::aligned_alloc(limits::cache_line_bytes, FrameBlock::bytes_for(Trace::slots, slot_bytes))),
      std::free};
  std::unique_ptr<Trace> trace = std::make_unique<Trace>(port, shape, FrameBlock(*memory, Trace::slots, slot_bytes));
};

std::vector<std::int64_t> lengths(Trace& trace) {
  std::vector<std::int64_t> result;
  const auto records = trace.kept();
  for (std::size_t i = 0; i + 1 < records.size(); i += 2) {
    result.push_back((records[i + 1].stamp - records[i].stamp).ns());
  }
  return result;
}

TEST(TracePort, IsTheWrappedPortInAllElse) {
  Rig rig(64);
  EXPECT_EQ(rig.trace->now(), rig.port.clock);
  EXPECT_EQ(rig.trace->capabilities().frame_bytes_max, 1'514U);
  EXPECT_EQ(rig.trace->health(), PortHealth::stalled);
  EXPECT_EQ(rig.trace->counters().truncated, 7U);
  EXPECT_EQ(rig.trace->acquire(60).size(), 60U);
  rig.trace->wait(Instant::from_ns(5'000));
  EXPECT_EQ(rig.port.clock, Instant::from_ns(5'000));
  EXPECT_EQ(rig.trace->receive(rig.arrivals), 0U);
  EXPECT_TRUE(rig.trace->kept().empty());
}

TEST(TracePort, KeepsAnExchangeOfAClientInEveryForm) {
  for (const std::uint32_t message_bytes : {1U, 2U, 15U, 16U, 63U, 64U, 100U}) {
    Rig rig(message_bytes);
    rig.exchange(7, 250);
    const auto records = rig.trace->kept();
    ASSERT_EQ(records.size(), 2U) << message_bytes;
    EXPECT_EQ(records[0].stamp, Instant::from_ns(2'000));
    EXPECT_EQ(records[0].direction, TraceDirection::out);
    EXPECT_EQ(records[1].stamp, Instant::from_ns(2'250));
    EXPECT_EQ(records[1].direction, TraceDirection::in);
    const Frame request = rig.frame(7, false);
    const Frame reply = rig.frame(7, true);
    EXPECT_EQ(rig.port.sent, std::vector<Frame>{request});
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(records[i].frame_bytes, request.size());
      const Frame& whole = i == 0 ? request : reply;
      const std::size_t kept = whole.size() < slot_bytes ? whole.size() : slot_bytes;
      EXPECT_EQ(Frame(records[i].bytes.begin(), records[i].bytes.end()),
                Frame(whole.begin(), whole.begin() + static_cast<long>(kept)));
    }
    EXPECT_EQ(rig.trace->trace().requests, 1U);
    EXPECT_EQ(rig.trace->trace().exchanges, 1U);
  }
}

TEST(TracePort, KeepsAnExchangeOfAServer) {
  Rig rig(64);
  ASSERT_EQ(rig.arrive(rig.frame(7, false)), 1U);
  rig.port.clock += Duration::from_ns(40);
  Frame reply = rig.frame(7, true);
  EXPECT_EQ(rig.trace->reply(rig.arrivals[0], reply), SendOutcome::sent);
  const auto records = rig.trace->kept();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].direction, TraceDirection::in);
  EXPECT_EQ(records[1].direction, TraceDirection::out);
  EXPECT_EQ((records[1].stamp - records[0].stamp).ns(), 40);
}

TEST(TracePort, KeepsTheFirstAndTheSlowestOfTheRest) {
  Rig rig(64);
  const std::vector<std::int64_t> all = {900, 1, 2, 50, 10, 70, 60, 5, 80, 30, 60};
  for (std::size_t i = 0; i < all.size(); ++i) {
    rig.exchange(i, all[i]);
  }
  EXPECT_EQ(lengths(*rig.trace), (std::vector<std::int64_t>{900, 1, 2, 70, 60, 80}));
  EXPECT_EQ(rig.trace->kept().size(), 12U);
  EXPECT_EQ(rig.trace->trace().exchanges, 11U);
  // Which they are says the sequence in their bytes.
  const auto records = rig.trace->kept();
  EXPECT_EQ(FullMessage::sequence(records[6].bytes.subspan(16)), 5U);
  EXPECT_EQ(FullMessage::sequence(records[8].bytes.subspan(16)), 6U);
  EXPECT_EQ(FullMessage::sequence(records[11].bytes.subspan(16)), 8U);
}

// Each exchange is slower than all before it, so that every slot changes hands again and again.
TEST(TracePort, KeepsTheBytesOfWhatItKeeps) {
  Rig rig(16);
  for (std::uint64_t i = 0; i < 2'000; ++i) {
    rig.exchange(i, static_cast<std::int64_t>(i + 1));
  }
  const auto records = rig.trace->kept();
  ASSERT_EQ(records.size(), 12U);
  const std::array<std::uint64_t, 6> sequences = {0, 1, 2, 1'997, 1'998, 1'999};
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Frame whole = rig.frame(sequences[i / 2], i % 2 == 1);
    EXPECT_EQ(Frame(records[i].bytes.begin(), records[i].bytes.end()), whole) << i;
  }
}

TEST(TracePort, PutsExchangesThatOverlapIntoTheOrderOfTime) {
  Rig rig(64);
  for (const std::uint64_t sequence : {0U, 1U, 2U}) {
    rig.port.clock += Duration::from_ns(10);
    rig.send(sequence);
  }
  for (const std::uint64_t sequence : {2U, 0U, 1U}) {
    rig.port.clock += Duration::from_ns(10);
    rig.arrive(rig.frame(sequence, true));
  }
  const auto records = rig.trace->kept();
  ASSERT_EQ(records.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(records[i].stamp.ns(), 1'010 + 10 * static_cast<std::int64_t>(i));
    EXPECT_EQ(records[i].direction, i < 3 ? TraceDirection::out : TraceDirection::in);
  }
}

TEST(TracePort, DropsTheOldestRequestWhenTooManyArePending) {
  Rig rig(64);
  for (std::uint64_t sequence = 0; sequence < 513; ++sequence) {
    rig.send(sequence);
  }
  EXPECT_EQ(rig.trace->trace().pending_dropped, 1U);
  rig.arrive(rig.frame(0, true));
  EXPECT_EQ(rig.trace->trace().unpaired_replies, 1U);
  EXPECT_EQ(rig.trace->trace().exchanges, 0U);
  for (std::uint64_t sequence = 1; sequence < 513; ++sequence) {
    rig.arrive(rig.frame(sequence, true));
  }
  EXPECT_EQ(rig.trace->trace().exchanges, 512U);
  EXPECT_EQ(rig.trace->trace().requests, 513U);
}

TEST(TracePort, PairsASecondReplyWithNothing) {
  Rig rig(64);
  rig.exchange(3, 10);
  rig.arrive(rig.frame(3, true));
  rig.arrive(rig.frame(4, true));
  EXPECT_EQ(rig.trace->trace().exchanges, 1U);
  EXPECT_EQ(rig.trace->trace().unpaired_replies, 2U);
}

TEST(TracePort, FollowsSequencesThatWrapInATag) {
  Rig rig(1);  // seven bits
  for (std::uint64_t sequence = 0; sequence < 300; ++sequence) {
    rig.exchange(sequence, 100 + static_cast<std::int64_t>(sequence));
  }
  EXPECT_EQ(rig.trace->trace().exchanges, 300U);
  EXPECT_EQ(rig.trace->trace().pending_dropped, 0U);
  EXPECT_EQ(lengths(*rig.trace), (std::vector<std::int64_t>{100, 101, 102, 397, 398, 399}));
  for (std::uint64_t sequence = 0; sequence < 129; ++sequence) {
    rig.send(sequence);
  }
  EXPECT_EQ(rig.trace->trace().pending_dropped, 1U) << "the bits tell no more than 128 apart";
}

TEST(TracePort, KnowsNothingOfWhatWasNotSent) {
  Rig rig(64);
  rig.port.outcome = SendOutcome::would_block;
  rig.send(0);
  rig.port.outcome = SendOutcome::failed;
  rig.send(0);
  EXPECT_EQ(rig.trace->trace().requests, 0U);
  rig.port.outcome = SendOutcome::sent;
  rig.port.clock += Duration::from_ns(500);
  rig.exchange(0, 20);
  EXPECT_EQ(lengths(*rig.trace), std::vector<std::int64_t>{20});
  EXPECT_EQ(rig.trace->trace().pending_dropped, 0U);

  ASSERT_EQ(rig.arrive(rig.frame(1, false)), 1U);
  Frame reply = rig.frame(1, true);
  rig.port.outcome = SendOutcome::failed;
  rig.trace->reply(rig.arrivals[0], reply);
  EXPECT_EQ(rig.trace->kept().size(), 2U);
  EXPECT_EQ(rig.trace->trace().exchanges, 1U);
}

TEST(TracePort, LetsPassUnseenWhatIsNoMessageOfTheSeries) {
  for (const std::uint32_t message_bytes : {16U, 64U}) {
    Rig rig(message_bytes);
    rig.arrive(rig.frame(0, false, MessageKind::probe));
    Rig stranger(message_bytes);
    stranger.shape.session = 1;
    rig.arrive(stranger.frame(0, false));
    Rig larger(message_bytes + 1);
    rig.arrive(larger.frame(0, false));
    Frame arp = rig.frame(0, false);
    arp[12] = std::byte{8};
    rig.arrive(arp);
    rig.arrive({});
    rig.arrive(rig.frame(0, false), true);
    EXPECT_EQ(rig.trace->trace().requests, 0U);
    rig.arrive(rig.frame(0, false));
    EXPECT_EQ(rig.trace->trace().requests, 1U);
  }
}

TEST(TracePort, NotesEveryFrameOfABatch) {
  Rig rig(64);
  for (const std::uint64_t sequence : {0U, 1U, 2U}) {
    rig.port.arrive(rig.frame(sequence, false));
  }
  EXPECT_EQ(rig.trace->receive(rig.arrivals), 3U);
  EXPECT_EQ(rig.trace->trace().requests, 3U);
}

}  // namespace
}  // namespace rtecho::drivers
