// What the world says before or after a run: a value, or one word, the system's own code, and a static context.
// A sentence is made of it only where it is printed.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "rt_core/assert.hpp"

namespace rtecho {

// One-word vocabulary shared by all rooms.
enum class Status : std::uint8_t {
  invalid,      // an argument outside its range: the caller can mend it
  unsupported,  // this build or this system cannot do it
  denied,       // privilege missing
  in_use,       // someone else holds it
  not_found,
  exhausted,  // no memory, no descriptor, no port left
  timed_out,
  refused,     // the peer says no
  closed,      // the peer went away
  unexpected,  // the peer or a file says something that makes no sense
  failed,      // the system call failed for another reason: see os_code
};

struct Error {
  Status status = Status::failed;
  int os_code = 0;           // errno or the Windows code; 0 where the system said nothing
  const char* context = "";  // what was being done: static storage, lower case, no full stop
};

// A value or an Error. Asking for the one that is not there is a caller's bug.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit on purpose: `return value;` and `return Error{…};` read as what they are.
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)
  Result(Error error) : error_(error) {}         // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return value_.has_value(); }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] T& value() & {
    RTECHO_ASSERT(has_value());
    return *value_;
  }
  [[nodiscard]] const T& value() const& {
    RTECHO_ASSERT(has_value());
    return *value_;
  }
  [[nodiscard]] T&& value() && {
    RTECHO_ASSERT(has_value());
    return std::move(*value_);
  }
  [[nodiscard]] const Error& error() const {
    RTECHO_ASSERT(!has_value());
    return error_;
  }

 private:
  std::optional<T> value_;
  Error error_{};
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(error), has_error_(true) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return !has_error_; }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] const Error& error() const {
    RTECHO_ASSERT(has_error_);
    return error_;
  }

 private:
  Error error_{};
  bool has_error_ = false;
};

}  // namespace rtecho
