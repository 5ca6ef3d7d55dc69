// A value, or one sentence that says why there is none. rt_core's Result carries a static context, which is too
// small for files: which file, which key, which line.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "rt_core/assert.hpp"

namespace rtecho::report {

enum class FailureKind : std::uint8_t {
  content,  // it could be read, and makes no sense
  system,   // the system refused: no such file, no permission, disk full
};

struct Failure {
  FailureKind kind = FailureKind::content;
  std::string sentence;  // one line: what was asked, what is wrong, what to do where that is not plain
};

// Asking for the one that is not there is a caller's bug.
template <typename T>
class [[nodiscard]] Outcome {
 public:
  // Implicit on purpose: `return value;` and `return Failure{…};` read as what they are.
  Outcome(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  Outcome(Failure failure) : content_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool has_value() const { return std::holds_alternative<T>(content_); }
  explicit operator bool() const { return has_value(); }
  [[nodiscard]] T& value() & {
    RTECHO_ASSERT(has_value());
    return *std::get_if<T>(&content_);
  }
  [[nodiscard]] const T& value() const& {
    RTECHO_ASSERT(has_value());
    return *std::get_if<T>(&content_);
  }
  [[nodiscard]] T&& value() && {
    RTECHO_ASSERT(has_value());
    return std::move(*std::get_if<T>(&content_));
  }
  [[nodiscard]] const Failure& failure() const {
    RTECHO_ASSERT(!has_value());
    return *std::get_if<Failure>(&content_);
  }

 private:
  std::variant<T, Failure> content_;
};

struct Done {};  // the value of an action that has none

}  // namespace rtecho::report
