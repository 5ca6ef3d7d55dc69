// Writing a request, turning it round, and reading the reply, for one size of each form; without a clock, whose reads
// echo_bench.cpp counts.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "drivers/fake_clock.hpp"
#include "rt_core/message.hpp"
#include "rt_core/reply.hpp"
#include "rt_core/request.hpp"

namespace {

using rtecho::Instant;
using rtecho::MessageFault;
using rtecho::MessageForm;
using rtecho::MessageShape;
using rtecho::Reply;
using rtecho::RequestWriter;

constexpr std::size_t bytes_max = 1'472;

MessageShape shape_of(const benchmark::State& state) {
  return {static_cast<std::uint32_t>(state.range(0)), 0x0123'4567'89AB'CDEF};
}

// What the server does to the bytes. `request` is what it read before; full form only.
void turn(std::span<std::byte> message, MessageForm form, const rtecho::FullFields& request) {
  switch (form) {
    case MessageForm::full:
      rtecho::turn_full_message(message, request, Instant::from_ns(2), Instant::from_ns(3), 0);
      break;
    case MessageForm::short_header:
      message[rtecho::short_offset::kind] |= std::byte{rtecho::reply_bit};
      break;
    case MessageForm::tag:
      message[0] |= std::byte{rtecho::reply_bit};
      break;
  }
}

rtecho::FullFields request_fields(std::span<const std::byte> message, const MessageShape& shape) {
  rtecho::FullFields fields;
  if (shape.form() == MessageForm::full) {
    const rtecho::FullHeaderReader reader(shape, static_cast<std::uint8_t>(rtecho::MessageKind::echo));
    (void)reader.read(message, fields);
  }
  return fields;
}

void emit_request(benchmark::State& state) {
  const MessageShape shape = shape_of(state);
  const RequestWriter writer(shape);
  rtecho::drivers::FakeClock clock;
  std::array<std::byte, bytes_max> memory{};
  const std::span<std::byte> message = std::span(memory).first(shape.message_bytes);
  std::uint64_t sequence = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(writer.write(message, sequence++, clock));
    benchmark::ClobberMemory();
  }
}

void read_reply(benchmark::State& state) {
  constexpr std::uint64_t sequence = 40;  // of the 7 bits that a 1-byte message has
  const MessageShape shape = shape_of(state);
  rtecho::drivers::FakeClock clock;
  std::array<std::byte, bytes_max> memory{};
  const std::span<std::byte> message = std::span(memory).first(shape.message_bytes);
  (void)RequestWriter(shape).write(message, sequence, clock);
  turn(message, shape.form(), request_fields(message, shape));
  const rtecho::ReplyReader reader(shape);
  for (auto _ : state) {
    Reply reply;
    benchmark::ClobberMemory();
    if (reader.read(message, sequence, reply) != MessageFault::none || reply.sequence != sequence) {
      state.SkipWithError("the reply was refused");
      break;
    }
    benchmark::DoNotOptimize(reply);
  }
}

void turn_message(benchmark::State& state) {
  const MessageShape shape = shape_of(state);
  rtecho::drivers::FakeClock clock;
  std::array<std::byte, bytes_max> memory{};
  const std::span<std::byte> message = std::span(memory).first(shape.message_bytes);
  (void)RequestWriter(shape).write(message, 40, clock);
  const rtecho::FullFields request = request_fields(message, shape);
  for (auto _ : state) {
    turn(message, shape.form(), request);
    benchmark::ClobberMemory();
  }
}

void every_form(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgName("bytes")->Arg(1)->Arg(16)->Arg(64)->Arg(bytes_max);
}
BENCHMARK(emit_request)->Apply(every_form);
BENCHMARK(turn_message)->Apply(every_form);
BENCHMARK(read_reply)->Apply(every_form);

}  // namespace
