// Why the system refused SCHED_FIFO: EPERM has three causes with three different cures.
#pragma once

#include <string>

namespace rtecho::platform {

// One sentence, from what the process can find out about itself.
[[nodiscard]] std::string explain_fifo_refusal(int priority);

}  // namespace rtecho::platform
