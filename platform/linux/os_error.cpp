#include "platform/os_error.hpp"

#include <cerrno>
#include <cstring>

namespace rtecho::platform {

namespace {

Status status_of(int os_code) noexcept {
  switch (os_code) {
    case EINVAL:
    case ENAMETOOLONG:
      return Status::invalid;
    case EPERM:
    case EACCES:
      return Status::denied;
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case EADDRNOTAVAIL:
      return Status::not_found;
    case EBUSY:
    case EADDRINUSE:
      return Status::in_use;
    case ENOMEM:
    case ENOBUFS:
    case EAGAIN:
    case EMFILE:
    case ENFILE:
      return Status::exhausted;
    case EOPNOTSUPP:
    case ENOSYS:
    case EAFNOSUPPORT:
    case EPROTONOSUPPORT:
    case ENOPROTOOPT:
      return Status::unsupported;
    case ETIMEDOUT:
      return Status::timed_out;
    case ECONNREFUSED:
      return Status::refused;
    case EPIPE:
    case ECONNRESET:
    case ECONNABORTED:
    case ENOTCONN:
      return Status::closed;
    default:
      return Status::failed;
  }
}

}  // namespace

Error os_error(int os_code, const char* context) noexcept {
  return {status_of(os_code), os_code, context};
}

std::string os_error_text(int os_code) {
  const char* const name = strerrorname_np(os_code);
  const char* const description = strerrordesc_np(os_code);
  if (name == nullptr || description == nullptr) {
    return "error " + std::to_string(os_code);
  }
  return std::string(name) + ": " + description;
}

}  // namespace rtecho::platform
