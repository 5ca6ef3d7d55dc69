#include "process_status.hpp"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <string>

#include "file_text.hpp"

namespace rtecho::platform {

namespace {

std::uint64_t status_number(std::string_view status, std::string_view name) noexcept {
  const auto text = line_value(status, name);
  return text ? leading_number<std::uint64_t>(*text).value_or(0) : 0;
}

}  // namespace

LockedMemory read_locked_memory() {
  const std::string status = read_file_text("/proc/self/status").value_or("");
  return {.locked_bytes = status_number(status, "VmLck") * 1024,
          .private_writable_bytes = status_number(status, "VmData") * 1024,
          .mapped_bytes = status_number(status, "VmSize") * 1024};
}

bool is_only_thread() {
  return status_number(read_file_text("/proc/self/status").value_or(""), "Threads") <= 1;
}

bool has_effective_capability(int number) noexcept {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  if (syscall(SYS_capget, &header, sets.data()) != 0) {
    return false;
  }
  const auto bit = static_cast<unsigned>(number);
  return ((sets.at(bit / 32).effective >> (bit % 32)) & 1U) != 0;
}

}  // namespace rtecho::platform
