// Two echo servers pointed at each other (CVE-1999-0103, CVE-2024-2169): the first reply ends it.
#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "drivers/fake_clock.hpp"
#include "drivers/loopback_port.hpp"
#include "rt_core/echo_server.hpp"
#include "rt_core/request.hpp"

namespace rtecho::simulation {
namespace {

using Link = drivers::LoopbackLink<drivers::FakeClock, 16>;

TEST(TwoServers, AreSilentAfterTheFirstReply) {
  for (const std::uint32_t bytes : {1U, 2U, 15U, 16U, 63U, 64U, 1'472U}) {
    alignas(64) static std::array<std::byte, Link::memory_bytes(1'472)> memory{};
    drivers::FakeClock clock(Instant::from_ns(1'000));
    Link link(clock, memory, 1'472);
    ServerPlan plan;
    plan.shape = {.message_bytes = bytes, .session = 7};
    const auto left = std::make_unique<EchoServer<Link::Port>>(link.client(), plan);
    const auto right = std::make_unique<EchoServer<Link::Port>>(link.server(), plan);

    // One request, as if it came from the left one's address.
    const std::span<std::byte> frame = link.client().acquire(bytes);
    RequestWriter(plan.shape).write(frame, 0, link.client());
    ASSERT_EQ(link.client().send(frame), SendOutcome::sent);
    std::size_t arrivals = 0;
    for (int i = 0; i < 1'000; ++i) {
      clock.advance(Duration::from_us(1));
      arrivals += left->step().arrivals + right->step().arrivals;
    }
    EXPECT_EQ(arrivals, 2U) << bytes << ": the request and its reply";
    EXPECT_EQ(right->accounting(), (ServerAccounting{.frames = 1, .requests = 1, .replies = 1}));
    EXPECT_EQ(left->accounting(), (ServerAccounting{.frames = 1, .unarmed = 1}));
    EXPECT_EQ(link.free_slots(), 16U) << "no frame is lost";
  }
}

}  // namespace
}  // namespace rtecho::simulation
