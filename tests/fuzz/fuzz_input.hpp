// The bytes of a fuzzer's input, taken from the front; zeros when they are used up, so that every input means
// something.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

namespace rtecho::fuzz {

// A property that must hold whatever the input. Aborts, because that is what libFuzzer reports with the input.
inline void require(bool holds) {
  if (!holds) {
    std::abort();
  }
}

class FuzzInput {
 public:
  FuzzInput(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

  std::uint8_t byte() {
    if (left_.empty()) {
      return 0;
    }
    const std::uint8_t value = left_.front();
    left_ = left_.subspan(1);
    return value;
  }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) {
      value = (value << 8U) | byte();
    }
    return value;
  }
  [[nodiscard]] std::span<const std::uint8_t> rest() const { return left_; }
  [[nodiscard]] std::string_view text() const { return {reinterpret_cast<const char*>(left_.data()), left_.size()}; }

 private:
  std::span<const std::uint8_t> left_;
};

}  // namespace rtecho::fuzz
