// ring_ways_bench [ROUNDS [ECHOES]]: what the choices of a RingPlan cost. Echoes of 64-byte messages between two
// spinning threads, on cores 0 and 1, over a veth pair of this program's own. In every round each way has its turn, so
// that what the machine does meanwhile meets all of them; a way's result is the median of its rounds' medians, and the
// median of its ratios to the first way of the same round. Needs root; exit code 77 where no pair can be made.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drivers/interface.hpp"
#include "drivers/mac_text.hpp"
#include "drivers/packet_ring.hpp"
#include "drivers/ring_port.hpp"
#include "drivers/shadow_socket.hpp"
#include "platform/bootstrap.hpp"
#include "raw_frames.hpp"
#include "rt_core/limits.hpp"
#include "veth_pair.hpp"

namespace {

using namespace rtecho;
using namespace rtecho::drivers;

constexpr std::size_t message_bytes = 64;
constexpr std::size_t echoes_before = 200;  // not measured: cold caches
constexpr Duration reply_timeout = Duration::from_ms(500);

enum class Carries : std::uint8_t {
  raw,
  udp,              // to an address of the kernel's, with a shadow socket at both ends
  udp_own_address,  // to an address that the kernel does not hold
};

struct Way {
  const char* name;
  Carries carries;
  RingPlan plan;
};

constexpr std::array ways{
    Way{"raw   send  before protocols", Carries::raw, {}},
    Way{"raw   ring  before protocols", Carries::raw, {.way = TransmitWay::ring}},
    Way{"raw   send  behind protocols", Carries::raw, {.tap = TapPoint::behind_protocols}},
    Way{"raw   ring  behind protocols", Carries::raw, {.way = TransmitWay::ring, .tap = TapPoint::behind_protocols}},
    Way{"raw   send  16 frames", Carries::raw, {.frames = 16}},
    Way{"raw   send  4096 frames", Carries::raw, {.frames = 4'096}},
    Way{"udp   send  before protocols", Carries::udp, {}},
    Way{"udp   ring  before protocols", Carries::udp, {.way = TransmitWay::ring}},
    Way{"udp   send  behind protocols", Carries::udp, {.tap = TapPoint::behind_protocols}},
    Way{"udp   ring  behind protocols", Carries::udp, {.way = TransmitWay::ring, .tap = TapPoint::behind_protocols}},
    Way{"udp   send  own address", Carries::udp_own_address, {}},
};

struct Ends {
  Interface client;
  Interface server;
};

// One end's address and port. The kernels hold the first two addresses of the net.
Ipv4Endpoint endpoint(Carries carries, std::uint32_t end) {
  const std::uint32_t host = carries == Carries::udp_own_address ? 100 + end : end;
  return {.address = 0x0A090000U + host, .port = static_cast<std::uint16_t>(40'000U + end)};
}

FrameSelection selection(const Interface& interface, Carries carries, std::uint32_t local, std::uint32_t peer) {
  FrameSelection result{.local = interface.mac, .vlan_id = std::nullopt, .udp = std::nullopt};
  if (carries != Carries::raw) {
    result.udp = UdpSelection{.local = endpoint(carries, local), .peer = endpoint(carries, peer)};
  }
  return result;
}

test::Frame request(const Ends& ends, Carries carries) {
  const EthernetHeader header{.destination = ends.server.mac,
                              .source = ends.client.mac,
                              .tag = std::nullopt,
                              .type = carries == Carries::raw ? ether_type::echo : ether_type::ipv4};
  if (carries == Carries::raw) {
    return test::ethernet_frame(header, message_bytes);
  }
  const Ipv4Endpoint from = endpoint(carries, 1);
  const Ipv4Endpoint to = endpoint(carries, 2);
  test::Ipv4Frame frame{.from = from.address, .to = to.address};
  frame.ethernet = header;
  frame.payload = test::udp_payload(from.port, to.port, message_bytes);
  return frame.bytes();
}

void turn_round(std::span<std::byte> frame, bool is_udp) {
  const auto swap = [&](std::ptrdiff_t first, std::ptrdiff_t bytes) {
    std::swap_ranges(frame.begin() + first, frame.begin() + first + bytes, frame.begin() + first + bytes);
  };
  swap(0, 6);
  if (is_udp) {
    swap(26, 4);
    swap(34, 2);
  }
}

struct alignas(limits::cache_line_bytes) Server {
  RingPort* port;
  bool is_udp;
  alignas(limits::cache_line_bytes) std::atomic<bool> stop{false};

  void run() {
    std::array<FrameArrival, limits::receive_batch> arrivals{};
    while (!stop.load(std::memory_order_relaxed)) {
      const std::size_t count = port->receive(arrivals);
      for (const FrameArrival& arrival : std::span(arrivals).first(count)) {
        turn_round(arrival.bytes, is_udp);
        port->reply(arrival, arrival.bytes);
      }
    }
  }
};

struct Client {
  RingPort* port;
  const test::Frame* frame;
  std::vector<std::int64_t> round_trips_ns;
  bool all_answered = true;

  void run() {
    for (std::size_t i = 0; i < echoes_before; ++i) {
      echo();
    }
    for (std::int64_t& round_trip_ns : round_trips_ns) {
      round_trip_ns = echo();
    }
  }
  std::int64_t echo() {
    const std::span<std::byte> lent = port->acquire(frame->size());
    std::copy(frame->begin(), frame->end(), lent.begin());
    const Instant before = port->now();
    port->send(lent);
    std::array<FrameArrival, 1> arrivals{};
    while (all_answered) {
      constexpr int looks = 4'096;
      for (int i = 0; i < looks; ++i) {
        if (port->receive(arrivals) == 1) {
          const Duration taken = port->now() - before;
          port->release(arrivals[0]);
          return taken.ns();
        }
      }
      all_answered = port->now() - before < reply_timeout;
    }
    return 0;
  }
};

ShadowSocket open_shadow(std::uint32_t local, std::uint32_t peer) {
  ShadowSocket socket = ShadowSocket::bind(endpoint(Carries::udp, local)).value();
  if (!socket.connect(endpoint(Carries::udp, peer))) {
    std::cerr << "ring_ways_bench: the shadow socket is not connected\n";
  }
  return socket;
}

platform::BootstrappedThread start(int cpu, void (*body)(void*), void* argument) {
  return platform::BootstrappedThread::start(
             {.policy = platform::SchedulingPolicy::other, .cpu = cpu, .lock_memory = false, .name = "ring_bench"},
             body, argument)
      .value();
}

// The median round trip, absent where a message was lost.
std::optional<std::int64_t> measure(const test::VethPair& pair, const Ends& ends, const Way& way, std::size_t echoes) {
  RingPort client_port(PacketRing::open(ends.client, selection(ends.client, way.carries, 1, 2), way.plan).value());
  std::vector<ShadowSocket> shadows;
  if (way.carries == Carries::udp) {
    shadows.push_back(open_shadow(1, 2));
  }
  std::optional<RingPort> server_port;
  {
    const test::InsideNamespace inside(pair.far_namespace());
    server_port.emplace(PacketRing::open(ends.server, selection(ends.server, way.carries, 2, 1), way.plan).value());
    if (way.carries == Carries::udp) {
      shadows.push_back(open_shadow(2, 1));
    }
  }
  const test::Frame frame = request(ends, way.carries);
  Server server{.port = &*server_port, .is_udp = way.carries != Carries::raw};
  Client client{.port = &client_port, .frame = &frame, .round_trips_ns = std::vector<std::int64_t>(echoes)};
  platform::BootstrappedThread serving = start(
      0, [](void* s) { static_cast<Server*>(s)->run(); }, &server);
  platform::BootstrappedThread asking = start(
      1, [](void* c) { static_cast<Client*>(c)->run(); }, &client);
  asking.join();
  server.stop = true;
  serving.join();
  if (!client.all_answered) {
    return std::nullopt;
  }
  std::ranges::nth_element(client.round_trips_ns, client.round_trips_ns.begin() + static_cast<long>(echoes / 2));
  return client.round_trips_ns[echoes / 2];
}

template <typename T>
T median(std::vector<T> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t rounds = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 15;
  const std::size_t echoes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2'000;
  if (argc > 3 || rounds == 0 || echoes == 0) {
    std::cerr << "usage: ring_ways_bench [ROUNDS [ECHOES]]    (at least 1 of each)\n";
    return 2;
  }
  const test::VethPair pair({.near = {.name = "near", .mac = "02:00:00:00:00:0a", .ipv4 = "10.9.0.1/24"},
                             .far = {.name = "far", .mac = "02:00:00:00:00:0b", .ipv4 = "10.9.0.2/24"}});
  if (!pair.why_not().empty()) {
    std::cout << "skipped: " << pair.why_not() << '\n';
    return 77;
  }
  Ends ends{.client = find_interface("near").value(), .server = {}};
  {
    const test::InsideNamespace inside(pair.far_namespace());
    ends.server = find_interface("far").value();
  }
  std::array<std::vector<std::int64_t>, ways.size()> medians_ns;
  std::array<std::vector<double>, ways.size()> ratios;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::optional<std::int64_t> median_ns = measure(pair, ends, ways[i], echoes);
      if (!median_ns) {
        std::cerr << "ring_ways_bench: a message was lost: " << ways[i].name << '\n';
        return 1;
      }
      medians_ns[i].push_back(*median_ns);
      ratios[i].push_back(static_cast<double>(*median_ns) / static_cast<double>(medians_ns[0].back()));
    }
  }
  std::cout << rounds << " rounds of " << echoes << " echoes, round trip in us\n"
            << "way                            median     best    worst    ratio\n"
            << std::fixed;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const auto [best, worst] = std::ranges::minmax(medians_ns[i]);
    const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / 1'000; };
    std::cout << std::left << std::setw(29) << ways[i].name << std::right << std::setprecision(2) << std::setw(8)
              << us(median(medians_ns[i])) << std::setw(9) << us(best) << std::setw(9) << us(worst) << std::setw(9)
              << median(ratios[i]) << '\n';
  }
  return 0;
}
