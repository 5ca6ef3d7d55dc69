// What every message port promises, whatever carries the messages. Instantiated for each driver's rigs.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>

#include "port_calls.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message_port.hpp"

namespace rtecho::drivers::test {

template <typename Rig>
class MessagePortContract : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::optional<std::string> reason = Rig::missing()) {
      GTEST_SKIP() << *reason;
    }
  }
  std::array<Arrival, limits::receive_batch> arrivals_;
};

TYPED_TEST_SUITE_P(MessagePortContract);

TYPED_TEST_P(MessagePortContract, ReceivesNothingWhereNothingWasSent) {
  TypeParam rig(64);
  EXPECT_EQ(rig.server().receive(this->arrivals_), 0U);
  EXPECT_EQ(rig.client().receive(this->arrivals_), 0U);
  EXPECT_EQ(rig.server().health(), PortHealth::open);
}

TYPED_TEST_P(MessagePortContract, CarriesEverySizeOutAndBack) {
  for (const std::uint32_t bytes : TypeParam::sizes) {
    TypeParam rig(bytes);
    ASSERT_GE(rig.client().capabilities().message_bytes_max, bytes);
    const Message message = make_message(bytes, bytes);
    ASSERT_EQ(send_message(rig.client(), message), SendOutcome::sent) << bytes;
    ASSERT_EQ(receive_soon(rig.server(), this->arrivals_), 1U) << bytes;
    EXPECT_FALSE(this->arrivals_[0].truncated);
    EXPECT_EQ(copy_of(this->arrivals_[0].bytes), message) << bytes;
    ASSERT_EQ(rig.server().reply(this->arrivals_[0]), SendOutcome::sent) << bytes;
    EXPECT_EQ(take_message(rig.client()), message) << bytes;
    EXPECT_EQ(rig.client().receive(this->arrivals_), 0U) << bytes;
  }
}

TYPED_TEST_P(MessagePortContract, KeepsTheOrderOfSeveralMessages) {
  TypeParam rig(64);
  constexpr std::uint64_t count = 20;
  for (std::uint64_t i = 0; i < count; ++i) {
    ASSERT_EQ(send_message(rig.client(), make_message(i, 64)), SendOutcome::sent);
  }
  for (std::uint64_t i = 0; i < count;) {
    const std::size_t received = receive_soon(rig.server(), this->arrivals_);
    ASSERT_GT(received, 0U);
    ASSERT_LE(received, rig.server().capabilities().receive_batch_max);
    for (std::size_t k = 0; k < received; ++k, ++i) {
      EXPECT_EQ(copy_of(this->arrivals_[k].bytes), make_message(i, 64));
      ASSERT_EQ(rig.server().reply(this->arrivals_[k]), SendOutcome::sent);
    }
  }
  for (std::uint64_t i = 0; i < count; ++i) {
    EXPECT_EQ(take_message(rig.client()), make_message(i, 64));
  }
}

TYPED_TEST_P(MessagePortContract, FillsNoMoreThanTheGivenArrivals) {
  TypeParam rig(16);
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(send_message(rig.client(), make_message(i, 16)), SendOutcome::sent);
  }
  EXPECT_EQ(rig.server().receive({}), 0U);
  for (std::uint64_t i = 0; i < 3; ++i) {
    ASSERT_EQ(receive_soon(rig.server(), std::span(this->arrivals_).first(1)), 1U);
    EXPECT_EQ(copy_of(this->arrivals_[0].bytes), make_message(i, 16));
    rig.server().release(this->arrivals_[0]);
  }
  EXPECT_EQ(rig.server().receive(this->arrivals_), 0U);
}

TYPED_TEST_P(MessagePortContract, AnswersWithTheBytesAsTheServerLeftThem) {
  TypeParam rig(64);
  Message message = make_message(1, 64);
  ASSERT_EQ(send_message(rig.client(), message), SendOutcome::sent);
  ASSERT_EQ(receive_soon(rig.server(), this->arrivals_), 1U);
  this->arrivals_[0].bytes[3] = message[3] = std::byte{0x81};
  ASSERT_EQ(rig.server().reply(this->arrivals_[0]), SendOutcome::sent);
  EXPECT_EQ(take_message(rig.client()), message);
}

// More messages than any port has slots, so that one that is not given back is missed.
TYPED_TEST_P(MessagePortContract, ReleasesAnArrivalWithoutAnswer) {
  TypeParam rig(64);
  for (std::uint64_t i = 0; i < 200; ++i) {
    ASSERT_EQ(send_message(rig.client(), make_message(i, 64)), SendOutcome::sent) << i;
    ASSERT_EQ(take_message(rig.server()), make_message(i, 64)) << i;
  }
  EXPECT_EQ(rig.client().receive(this->arrivals_), 0U);
}

TYPED_TEST_P(MessagePortContract, LendsAFrameUntilItIsSent) {
  TypeParam rig(64);
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(rig.client().acquire(64).size(), 64U) << "given up 199 times";
  }
  for (std::uint64_t i = 0; i < 2; ++i) {
    ASSERT_EQ(send_message(rig.client(), make_message(i, 64)), SendOutcome::sent);
    EXPECT_EQ(take_message(rig.server()), make_message(i, 64));
  }
  EXPECT_TRUE(rig.client().acquire(std::size_t{limits::message_buffer_bytes} + 1).empty());
}

// What was taken arrives, in order and whole; datagrams may be lost on the way, but nothing else.
TYPED_TEST_P(MessagePortContract, StandsAPeerThatDoesNotRead) {
  constexpr std::uint32_t bytes = 60'000;
  constexpr std::uint64_t offered = 1'000;  // 60 MB: more than any socket holds
  TypeParam rig(bytes);
  std::uint64_t taken = 0;
  while (taken < offered && send_message(rig.client(), make_message(taken, bytes)) == SendOutcome::sent) {
    ++taken;
  }
  ASSERT_GT(taken, 0U);
  if (TypeParam::is_lossless) {
    EXPECT_LT(taken, offered);
  }
  const std::chrono::milliseconds patience(TypeParam::is_lossless ? 2'000 : 100);
  std::uint64_t arrived = 0;
  std::uint64_t next = 0;
  while (arrived < taken) {
    const Message message = take_message(rig.server(), patience);
    if (message.empty()) {
      break;
    }
    while (next < taken && message != make_message(next, bytes)) {
      ++next;
    }
    ASSERT_LT(next++, taken) << "neither lost nor reordered, so it was altered";
    ++arrived;
    EXPECT_EQ(rig.client().receive(this->arrivals_), 0U);  // a stream pushes on what is pending
  }
  if (TypeParam::is_lossless) {
    EXPECT_EQ(arrived, taken);
  }
  ASSERT_EQ(send_message(rig.client(), make_message(offered, bytes)), SendOutcome::sent);
  EXPECT_EQ(take_message(rig.server()), make_message(offered, bytes));
}

TYPED_TEST_P(MessagePortContract, WaitsForAnArrivalAndDeliversItOnce) {
  TypeParam rig(64);
  for (const Duration until : {Duration::from_s(3), Duration::from_ms(5)}) {
    ASSERT_EQ(send_message(rig.client(), make_message(7, 64)), SendOutcome::sent);
    rig.server().wait(rig.server().now() + until);
    rig.server().wait(rig.server().now() + until);
    ASSERT_EQ(rig.server().receive(this->arrivals_), 1U);
    EXPECT_EQ(copy_of(this->arrivals_[0].bytes), make_message(7, 64));
    rig.server().release(this->arrivals_[0]);
    EXPECT_EQ(rig.server().receive(this->arrivals_), 0U);
  }
}

// No upper limit in microseconds on a shared machine: a wait that ignored its time would last for ever.
TYPED_TEST_P(MessagePortContract, WaitsNoLongerThanToldAndNeverForLong) {
  TypeParam rig(64);
  const auto start = std::chrono::steady_clock::now();
  rig.server().wait(rig.server().now() - Duration::from_s(1));
  rig.server().wait(rig.server().now());
  rig.server().wait(rig.server().now() + Duration::from_us(50));
  rig.server().wait(rig.server().now() + Duration::from_ms(3));
  rig.server().wait(rig.server().now() + Duration::from_s(3'600));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  EXPECT_EQ(rig.server().receive(this->arrivals_), 0U);
}

TYPED_TEST_P(MessagePortContract, WaitsUntilTheTimeWhereNothingComes) {
  TypeParam rig(64);
  const Instant until = rig.server().now() + Duration::from_ms(30);
  int waits = 0;
  for (; rig.server().now() < until && waits < 1'000; ++waits) {
    rig.server().wait(until);
  }
  EXPECT_GE(rig.server().now(), until);
  EXPECT_LT(waits, 20) << "it waits, it does not spin";
}

REGISTER_TYPED_TEST_SUITE_P(MessagePortContract, ReceivesNothingWhereNothingWasSent, CarriesEverySizeOutAndBack,
                            KeepsTheOrderOfSeveralMessages, FillsNoMoreThanTheGivenArrivals,
                            AnswersWithTheBytesAsTheServerLeftThem, ReleasesAnArrivalWithoutAnswer,
                            LendsAFrameUntilItIsSent, StandsAPeerThatDoesNotRead, WaitsForAnArrivalAndDeliversItOnce,
                            WaitsNoLongerThanToldAndNeverForLong, WaitsUntilTheTimeWhereNothingComes);

}  // namespace rtecho::drivers::test
