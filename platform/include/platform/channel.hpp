// The way from the measuring thread to an ordinary one: one producer, one consumer, room for a fixed number of
// elements. A full channel never makes the producer wait: the element is dropped and counted.
#pragma once

#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "rt_core/limits.hpp"

namespace rtecho::platform {

// Holds its elements inside itself: Capacity × sizeof(T) bytes, so a large one does not belong on a stack.
template <typename T, std::size_t Capacity>
class Channel {
  static_assert(std::is_trivially_copyable_v<T>, "copying an element must not allocate or throw");
  static_assert(Capacity > 0);

 public:
  // Producer only. False when the channel was full.
  bool push(const T& element) noexcept {
    if (queue_.push(element)) {
      return true;
    }
    // There is one writer, so a load and a store do what a locked addition would.
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return false;
  }

  // Consumer only. False when the channel was empty.
  bool pop(T& element) noexcept { return queue_.pop(element); }

  // Any thread.
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

 private:
  boost::lockfree::spsc_queue<T, boost::lockfree::capacity<Capacity>> queue_;
  // On a line of its own: the producer writes it while the consumer reads elements.
  alignas(limits::cache_line_bytes) std::atomic<std::uint64_t> dropped_{0};
};

}  // namespace rtecho::platform
