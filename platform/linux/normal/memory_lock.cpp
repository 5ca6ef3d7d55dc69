#include "platform/bootstrap.hpp"

namespace rtecho::platform {

MemoryLock MemoryLock::acquire(std::vector<std::string>& /*degraded*/) {
  return MemoryLock(false);
}
void MemoryLock::release() noexcept {}

}  // namespace rtecho::platform
