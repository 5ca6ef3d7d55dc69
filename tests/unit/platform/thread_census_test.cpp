#include "platform/thread_census.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <future>
#include <thread>

namespace rtecho::platform {
namespace {

TEST(ThreadCensus, CountsThreadsByTheirWholeName) {
  std::promise<void> named;
  std::promise<void> release;
  std::thread thread([&] {
    pthread_setname_np(pthread_self(), "census-testing");
    named.set_value();
    release.get_future().wait();
  });
  named.get_future().wait();
  EXPECT_EQ(threads_named("census-testing"), 1);
  EXPECT_EQ(threads_named("census-testin"), 0);
  release.set_value();
  thread.join();
  EXPECT_EQ(threads_named("census-testing"), 0);
}

TEST(ThreadCensus, FindsAtLeastTheCoreItRunsOn) {
  EXPECT_GE(online_cpu_count(), 1);
}

}  // namespace
}  // namespace rtecho::platform
