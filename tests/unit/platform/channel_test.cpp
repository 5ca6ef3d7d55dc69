#include "platform/channel.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace rtecho::platform {
namespace {

TEST(Channel, IsEmptyAtFirst) {
  // On the heap, where the compiler does not warn of reading an element that is never read.
  const auto channel = std::make_unique<Channel<int, 4>>();
  int element = 7;
  EXPECT_FALSE(channel->pop(element));
  EXPECT_EQ(element, 7);
  EXPECT_EQ(channel->dropped(), 0U);
}

TEST(Channel, KeepsTheOrder) {
  Channel<int, 4> channel;
  EXPECT_TRUE(channel.push(1));
  EXPECT_TRUE(channel.push(2));
  int element = 0;
  ASSERT_TRUE(channel.pop(element));
  EXPECT_EQ(element, 1);
  ASSERT_TRUE(channel.pop(element));
  EXPECT_EQ(element, 2);
}

TEST(Channel, DropsAndCountsWhenFull) {
  Channel<int, 3> channel;
  EXPECT_TRUE(channel.push(1));
  EXPECT_TRUE(channel.push(2));
  EXPECT_TRUE(channel.push(3));
  EXPECT_FALSE(channel.push(4));
  EXPECT_FALSE(channel.push(5));
  EXPECT_EQ(channel.dropped(), 2U);
  int element = 0;
  ASSERT_TRUE(channel.pop(element));
  EXPECT_EQ(element, 1);
  EXPECT_TRUE(channel.push(6));
  EXPECT_EQ(channel.dropped(), 2U);
}

TEST(Channel, GoesOnAfterItsIndicesWrap) {
  Channel<int, 3> channel;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(channel.push(i));
    int element = -1;
    ASSERT_TRUE(channel.pop(element));
    ASSERT_EQ(element, i);
  }
}

TEST(Channel, LosesNothingBetweenTwoThreads) {
  constexpr int elements = 100'000;
  auto channel = std::make_unique<Channel<int, 1024>>();
  std::thread producer([&channel] {
    for (int i = 0; i < elements; ++i) {
      channel->push(i);
    }
  });
  std::uint64_t received = 0;
  int previous = -1;
  int element = 0;
  bool ascending = true;
  const auto drain = [&] {
    while (channel->pop(element)) {
      ascending = ascending && element > previous;
      previous = element;
      ++received;
    }
  };
  while (received + channel->dropped() < elements) {
    drain();
  }
  producer.join();
  drain();
  EXPECT_TRUE(ascending);
  EXPECT_EQ(received + channel->dropped(), 100'000U);
}

}  // namespace
}  // namespace rtecho::platform
