// A client whose port is scripted: the test says what arrives when, and looks at what was sent.
#pragma once

#include <cstdint>
#include <memory>

#include "rt_core/echo_client.hpp"
#include "scripted_port.hpp"

namespace rtecho::test {

struct ClientRig {
  explicit ClientRig(const ClientPlan& plan, bool is_stream = false) {
    port.is_stream = is_stream;
    client = std::make_unique<EchoClient<ScriptedPort>>(port, plan);
  }

  ClientStep step_at(std::int64_t ns) {
    port.clock = Instant::from_ns(ns);
    return client->step();
  }
  ClientStep step_after(std::int64_t ns) { return step_at(port.clock.ns() + ns); }
  // The two steps from the start, or from the end of a rest, to the first message of a batch.
  void begin() {
    client->step();
    client->step();
  }
  void answer(std::size_t index) { port.arrive(reply_to(port.sent.at(index))); }
  // Every message is answered 10 us after it was sent, until the series is done or so many steps have gone by.
  void run(std::uint64_t steps_max = 100'000) {
    std::size_t answered = port.sent.size();
    for (std::uint64_t i = 0; i < steps_max && !client->done(); ++i) {
      for (; answered < port.sent.size(); ++answered) {
        answer(answered);
      }
      step_after(10'000);
    }
  }
  [[nodiscard]] const SeriesRecord& record() const { return client->record(); }
  [[nodiscard]] const ClientAccounting& accounting() const { return client->record().accounting; }

  ScriptedPort port;
  std::unique_ptr<EchoClient<ScriptedPort>> client;
};

// Nothing but recorded messages, in one batch without end.
inline ClientPlan bare_plan(std::uint64_t count, std::uint32_t message_bytes = 64) {
  ClientPlan plan;
  plan.shape = {.message_bytes = message_bytes, .session = 0x0102'0304'0506'0708};
  plan.count = count;
  plan.warmup = 0;
  plan.batch.messages = 0;
  return plan;
}

inline ClientPlan paced_plan(std::uint64_t count, std::int64_t spacing_ns, std::uint32_t message_bytes = 64) {
  ClientPlan plan = bare_plan(count, message_bytes);
  plan.pacing.numerator_ns = spacing_ns;
  plan.pacing.window = 64;
  return plan;
}

}  // namespace rtecho::test
