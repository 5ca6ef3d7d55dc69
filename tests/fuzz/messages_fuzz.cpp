// Bytes from the network, at the server and at the client. The first bytes choose the size of the series, its session,
// and whether the header is made to fit, without which no mutation would get past its check.
//
//   - a message that the server answered is one that the client accepts, but for its fill, which only the client looks
//   at
//   - a reply is as long as its request, and is not answered again: two servers do not talk to each other for ever
//   - what a client writes, a server answers unless its number is further ahead than a ring, and the client finds the
//   same sequence in the answer
//   - the accounting equation holds, and nothing else ever happens
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fuzz_input.hpp"
#include "rt_core/echo_server.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/reply.hpp"
#include "rt_core/request.hpp"

namespace {

using rtecho::Arrival;
using rtecho::Instant;
using rtecho::MessageFault;
using rtecho::MessageForm;
using rtecho::MessageShape;
using rtecho::fuzz::require;

// Brings one message, and notes what became of it.
class OneMessagePort {
 public:
  OneMessagePort(std::span<std::byte> message, bool truncated) : arrival_{message, 7, truncated} {}

  [[nodiscard]] Instant now() noexcept { return Instant::from_ns(++now_ns_); }
  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept {
    if (taken_) {
      return 0;
    }
    taken_ = true;
    arrivals[0] = arrival_;
    return 1;
  }
  rtecho::SendOutcome reply(const Arrival& arrival) noexcept {
    require(arrival.bytes.data() == arrival_.bytes.data() && arrival.bytes.size() == arrival_.bytes.size());
    ++replies_;
    return rtecho::SendOutcome::sent;
  }
  void release(const Arrival&) noexcept { ++releases_; }
  [[nodiscard]] std::span<std::byte> acquire(std::size_t) noexcept { return {}; }
  rtecho::SendOutcome send(std::span<std::byte>) noexcept { return rtecho::SendOutcome::failed; }
  void wait(Instant) noexcept {}
  [[nodiscard]] rtecho::PortCapabilities capabilities() const noexcept { return {}; }
  [[nodiscard]] rtecho::PortHealth health() const noexcept { return rtecho::PortHealth::open; }
  [[nodiscard]] rtecho::PortCounters counters() const noexcept { return {}; }

  [[nodiscard]] bool replied() const { return replies_ == 1 && releases_ == 0; }
  [[nodiscard]] bool dropped() const { return replies_ == 0 && releases_ == 1; }

 private:
  Arrival arrival_;
  std::int64_t now_ns_ = 1'000'000'000;
  int replies_ = 0;
  int releases_ = 0;
  bool taken_ = false;
};

bool server_answers(std::span<std::byte> message, const MessageShape& shape, bool truncated) {
  OneMessagePort port(message, truncated);
  rtecho::ServerPlan plan;
  plan.shape = shape;
  rtecho::EchoServer<OneMessagePort> server(port, plan);
  server.step();
  require(port.replied() != port.dropped());
  require(server.accounting().holds() && server.accounting().frames == 1);
  require(port.replied() == (server.accounting().replies == 1));
  return port.replied();
}

// Everything that a header of this shape must say. Sequence, stamps and kind stay as the fuzzer wants them.
void make_fit(std::span<std::byte> message, const MessageShape& shape) {
  using namespace rtecho;
  if (message.size() != shape.message_bytes) {
    return;
  }
  if (shape.form() == MessageForm::short_header) {
    const std::byte kind = message[short_offset::kind];
    ShortMessage::emit(message, shape, ShortMessage::sequence(message));
    message[short_offset::kind] = kind;
  } else if (shape.form() == MessageForm::full) {
    store_big_endian(message, full_offset::magic, message_magic);
    message[full_offset::version] = std::byte{message_version};
    store_big_endian(message, full_offset::flags, static_cast<std::uint32_t>(full_header_bytes));
    store_big_endian(message, full_offset::session, shape.session);
    store_big_endian(message, full_offset::message_bytes, std::uint64_t{shape.message_bytes} << 32U);
    store_big_endian(message, full_offset::check, full_header_sum(message));
  }
}

void any_bytes(const MessageShape& shape, std::span<const std::uint8_t> bytes, bool fits, bool truncated) {
  // On the heap and exactly as long, so that the address sanitizer sees one byte too many.
  std::vector<std::byte> message(bytes.size());
  std::transform(bytes.begin(), bytes.end(), message.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  if (fits) {
    make_fit(message, shape);
  }
  rtecho::Reply reply;
  (void)rtecho::ReplyReader(shape).read(message, 1'000, reply);

  if (server_answers(message, shape, truncated)) {
    require(!truncated && message.size() == shape.message_bytes);
    const MessageFault fault = rtecho::ReplyReader(shape).read(message, 0, reply);
    require(fault == MessageFault::none || fault == MessageFault::fill);
    require(!server_answers(message, shape, false));
  }
}

void own_request(const MessageShape& shape, std::uint64_t sequence) {
  std::vector<std::byte> message(shape.message_bytes);
  OneMessagePort clock({}, false);
  const Instant send = rtecho::RequestWriter(shape).write(message, sequence, clock);
  const unsigned bits = rtecho::sequence_bits(shape.message_bytes);
  const std::uint64_t carried = bits == 64 ? sequence : sequence & ((std::uint64_t{1} << bits) - 1);
  const bool in_reach = carried < rtecho::limits::outstanding_ring;  // a new server waits for number 0
  require(server_answers(message, shape, false) == in_reach);
  if (!in_reach) {
    return;
  }
  rtecho::Reply reply;
  require(rtecho::ReplyReader(shape).read(message, sequence, reply) == MessageFault::none);
  require(reply.sequence == sequence);
  require(shape.form() != MessageForm::full || reply.client_send == send);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::uint32_t, 16> sizes{1, 2, 7, 8, 9, 10, 15, 16, 17, 23, 63, 64, 65, 71, 128, 300};
  rtecho::fuzz::FuzzInput input(data, size);
  const std::uint8_t choice = input.byte();
  const std::uint8_t how = input.byte();
  const std::uint64_t session = (how & 1U) != 0 ? 0 : 0x0123'4567'89AB'CDEF;
  const MessageShape shape{sizes[choice % sizes.size()], session};
  if ((how & 8U) != 0) {
    own_request(shape, input.word());
  }
  any_bytes(shape, input.rest(), (how & 2U) != 0, (how & 4U) != 0);
  return 0;
}
