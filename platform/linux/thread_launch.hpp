// The part of the thread bootstrap that both builds share: what is left of a ThreadPlan once the build has decided
// which of its wishes it goes after.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "platform/bootstrap.hpp"

namespace rtecho::platform {

struct ThreadLaunch {
  void (*body)(void*) = nullptr;
  void* argument = nullptr;
  const char* name = "";
  std::size_t stack_bytes = 0;
  std::optional<int> fifo_priority{};
  std::optional<int> cpu{};
  bool wants_locked_memory = false;
  std::vector<std::string> degraded{};  // shortfalls known before the thread exists
};

}  // namespace rtecho::platform
