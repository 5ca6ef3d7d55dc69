// The owner of one descriptor of the system. It refuses to know what the descriptor is.
#pragma once

#include <utility>

namespace rtecho::platform {

class Descriptor {
 public:
  Descriptor() = default;
  // Takes over a descriptor as a system call returned it; a negative one means none.
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  [[nodiscard]] int number() const noexcept { return number_; }
  void close() noexcept;

 private:
  int number_ = -1;
};

}  // namespace rtecho::platform
