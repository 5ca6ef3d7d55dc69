// The normal build knows no priority, no pinning and no locked memory: those fields of the plan are not looked at.
#include "platform/bootstrap.hpp"

#include "../thread_launch.hpp"

namespace rtecho::platform {

const char* build_kind() noexcept {
  return "normal";
}
bool build_is_realtime() noexcept {
  return false;
}

Result<BootstrappedThread> BootstrappedThread::start(const ThreadPlan& plan, void (*body)(void*), void* argument) {
  return launch({.body = body, .argument = argument, .name = plan.name, .stack_bytes = plan.stack_bytes});
}

}  // namespace rtecho::platform
