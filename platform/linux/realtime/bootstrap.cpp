// The real-time build goes after everything that the plan asks for.
#include "platform/bootstrap.hpp"

#include <sched.h>

#include "../thread_launch.hpp"

namespace rtecho::platform {

const char* build_kind() noexcept {
  return "realtime";
}
bool build_is_realtime() noexcept {
  return true;
}

Result<BootstrappedThread> BootstrappedThread::start(const ThreadPlan& plan, void (*body)(void*), void* argument) {
  ThreadLaunch launch{.body = body,
                      .argument = argument,
                      .name = plan.name,
                      .stack_bytes = plan.stack_bytes,
                      .wants_locked_memory = plan.lock_memory};
  if (plan.policy == SchedulingPolicy::fifo) {
    if (plan.priority < sched_get_priority_min(SCHED_FIFO) || plan.priority > sched_get_priority_max(SCHED_FIFO)) {
      return Error{Status::invalid, 0, "priority of SCHED_FIFO"};
    }
    launch.fifo_priority = plan.priority;
  }
  if (plan.cpu && check_cpu(*plan.cpu)) {
    launch.cpu = plan.cpu;
  } else if (plan.cpu) {
    launch.degraded.push_back("cpu " + std::to_string(*plan.cpu) +
                              " does not exist or is outside the cpuset of this process: choose one of " +
                              allowed_cpus_text() + ", or widen the cpuset");
  }
  return BootstrappedThread::launch(std::move(launch));
}

}  // namespace rtecho::platform
