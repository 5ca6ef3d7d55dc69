#include "platform/network_namespace.hpp"

#include <fcntl.h>
#include <sched.h>

#include <cerrno>

#include "platform/descriptor.hpp"
#include "platform/os_error.hpp"
#include "process_status.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::platform {

Result<void> enter_network_namespace(const std::string& name) noexcept {
  RTECHO_ASSERT(is_only_thread());
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    return Error{Status::invalid, 0, "name of the network namespace"};
  }
  const Descriptor file(open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open()) {
    return os_error(errno, "open the network namespace in /run/netns");
  }
  if (setns(file.number(), CLONE_NEWNET) != 0) {
    // setns(2): EINVAL means that the descriptor is no namespace of this type.
    if (errno == EINVAL) {
      return Error{Status::unexpected, EINVAL, "the file in /run/netns is no network namespace"};
    }
    return os_error(errno, "enter the network namespace");
  }
  return {};
}

}  // namespace rtecho::platform
