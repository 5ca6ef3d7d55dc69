// A client and a server on a simulated link, in one thread and in a time of its own: faults by seed in either
// direction, a server that can stand still, an interrupt at any step. What the wire carries is the Ends' choice:
// messages as they are, or a protocol made of frames (frame_ends.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drivers/fake_clock.hpp"
#include "drivers/fault_port.hpp"
#include "drivers/loopback_port.hpp"
#include "rt_core/echo_client.hpp"
#include "rt_core/echo_server.hpp"

namespace rtecho::simulation {

using drivers::FakeClock;
using drivers::FaultCounters;
using drivers::FaultPlan;

inline constexpr std::uint32_t always = 1'000'000;
inline constexpr std::uint64_t session = 0x0102'0304'0506'0708;

// What the simulation does beside the two plans.
struct Scenario {
  ClientPlan client;
  FaultPlan up;                                       // what happens to requests
  FaultPlan down;                                     // what happens to replies
  Duration stall_begins;                              // the server makes no step from here, counted from the start …
  Duration stall_ends;                                // … to here
  std::uint64_t interrupt_after = ~std::uint64_t{0};  // steps
};

// Recorded messages only, so many of so many bytes, one after the other; 500 per batch.
inline ClientPlan ping_pong(std::uint32_t message_bytes, std::uint64_t count) {
  ClientPlan plan;
  plan.shape = {.message_bytes = message_bytes, .session = session};
  plan.count = count;
  plan.warmup = 0;
  plan.batch.resume = 0;
  plan.timeout = Duration::from_ms(2);
  return plan;
}

// Messages travel as they are.
template <typename Wire>
class PlainEnds {
 public:
  using Port = Wire;
  PlainEnds(Wire& client, Wire& server) : client_(client), server_(server) {}
  [[nodiscard]] Port& client() { return client_; }
  [[nodiscard]] Port& server() { return server_; }

 private:
  Port& client_;
  Port& server_;
};

template <template <typename> class Ends>
class SimulationOver {
 public:
  // More than any series of these tests needs: one that does not end shows as one that is not done.
  static constexpr std::uint64_t steps_max = 2'000'000;

  explicit SimulationOver(const Scenario& scenario)
      : scenario_(scenario),
        link_memory_(Link::memory_bytes(wire_bytes_max) + 64),
        up_memory_(held_bytes() + 64),
        down_memory_(held_bytes() + 64),
        link_(clock_, aligned(link_memory_), wire_bytes_max),
        client_wire_(link_.client(), scenario.up, FrameBlock(aligned(up_memory_), held_slots, wire_bytes_max)),
        server_wire_(link_.server(), scenario.down, FrameBlock(aligned(down_memory_), held_slots, wire_bytes_max)),
        ends_(client_wire_, server_wire_),
        client_(std::make_unique<EchoClient<Port>>(ends_.client(), scenario.client)),
        server_(std::make_unique<EchoServer<Port>>(ends_.server(), server_plan(scenario.client))) {}

  // Until the client is done. Then what is still under way to the server arrives there, so that its half is whole.
  void run() {
    while (!client_->done() && steps_ < steps_max) {
      if (steps_ == scenario_.interrupt_after) {
        client_->interrupt();
        break;
      }
      step();
    }
    for (int i = 0; i < 1'000; ++i) {
      (void)client_wire_.receive({});  // what it holds back goes out
      serve();
      clock_.advance(Duration::from_ms(1));
    }
  }

  // One step of either end, then time passes: 1 us after work, else up to the next due instant, 20 us at most.
  void step() {
    const ClientStep step = client_->step();
    client_->events().clear();
    const bool served = serve();
    ++steps_;
    ended_edges_ += step.edge == BatchEdge::ended ? 1U : 0U;
    Duration passes = Duration::from_us(1);
    if (!step.worked && !served) {
      passes = Duration::from_us(20);
      const Duration due = client_->next_due() - clock_.now();
      passes = due > Duration::from_us(1) && due < passes ? due : passes;
    }
    clock_.advance(passes);
  }

  [[nodiscard]] bool done() const { return client_->done(); }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::uint64_t ended_edges() const { return ended_edges_; }
  [[nodiscard]] const SeriesRecord& record() const { return client_->record(); }
  [[nodiscard]] const ClientAccounting& client() const { return client_->record().accounting; }
  [[nodiscard]] const ServerAccounting& server() const { return server_->accounting(); }
  [[nodiscard]] const FaultCounters& up() const { return client_wire_.faults(); }
  [[nodiscard]] const FaultCounters& down() const { return server_wire_.faults(); }
  [[nodiscard]] PortCounters client_port() { return ends_.client().counters(); }
  [[nodiscard]] PortCounters server_port() { return ends_.server().counters(); }

 private:
  static constexpr std::uint32_t slots = 256;
  static constexpr std::uint32_t held_slots = 64;
  static constexpr std::uint32_t wire_bytes_max = 1'600;  // of a frame, and what pads it
  using Link = drivers::LoopbackLink<FakeClock, slots>;
  using Wire = drivers::FaultPort<Link::Port>;
  using Port = typename Ends<Wire>::Port;
  using Memory = std::vector<std::byte>;

  static std::size_t held_bytes() { return FrameBlock::bytes_for(held_slots, wire_bytes_max); }
  static std::span<std::byte> aligned(Memory& memory) {
    const auto misplaced = reinterpret_cast<std::uintptr_t>(memory.data()) % 64;
    return std::span(memory).subspan(misplaced == 0 ? 0 : 64 - misplaced);
  }
  static ServerPlan server_plan(const ClientPlan& client) {
    ServerPlan plan;
    plan.shape = client.shape;
    return plan;
  }

  bool serve() {
    const Duration elapsed = clock_.now() - start;
    if (elapsed >= scenario_.stall_begins && elapsed < scenario_.stall_ends) {
      return false;
    }
    return server_->step().arrivals != 0;
  }

  static constexpr Instant start = Instant::from_ns(1'000'000'000);
  Scenario scenario_;
  FakeClock clock_{start};
  Memory link_memory_;
  Memory up_memory_;
  Memory down_memory_;
  Link link_;
  Wire client_wire_;
  Wire server_wire_;
  Ends<Wire> ends_;
  std::unique_ptr<EchoClient<Port>> client_;
  std::unique_ptr<EchoServer<Port>> server_;
  std::uint64_t steps_ = 0;
  std::uint64_t ended_edges_ = 0;
};

using Simulation = SimulationOver<PlainEnds>;

}  // namespace rtecho::simulation
