#include "restless.hpp"

#include <fmt/format.h>

#include "platform/thread_census.hpp"

namespace rtecho::pair {

namespace {

constexpr const char* restless_name = "rtecho-restless";

bool never_rests(const ThreadOptions& options, bool rests) {
  return !rests && options.wait == WaitMode::spin && options.plan.policy == platform::SchedulingPolicy::fifo;
}

}  // namespace

const char* loop_name(const ThreadOptions& options, bool rests) {
  return never_rests(options, rests) ? restless_name : "rtecho-loop";
}

std::optional<std::string> freeze_risk(const ThreadOptions& options, bool rests) {
  if (!never_rests(options, rests)) {
    return std::nullopt;
  }
  const int running = platform::threads_named(restless_name);
  const int cores = platform::online_cpu_count();
  if (running + 1 < cores) {
    return std::nullopt;
  }
  return fmt::format(
      "--batch 0: with {} spinning real-time threads that never rest already there, this one would take the last of "
      "{} cores and freeze the machine; use rests, --wait block, or --policy other at one end",
      running, cores);
}

}  // namespace rtecho::pair
