// One contiguous, cache-line-aligned block cut into equal slots, and the stack of the free ones. The memory is
// the caller's (a static array, a locked mapping, a huge page), so that a NIC, AF_XDP or a socket can use the
// same block; nothing here allocates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rt_core/assert.hpp"
#include "rt_core/limits.hpp"

namespace rtecho {

// A view of the block. Slots are numbered from 0; their size is a multiple of the cache line.
class FrameBlock {
 public:
  // `memory` must be aligned to a cache line and at least bytes_for(slots, slot_bytes) long.
  FrameBlock(std::span<std::byte> memory, std::uint32_t slots, std::size_t slot_bytes)
      : memory_(memory), slot_bytes_(rounded(slot_bytes)), slots_(slots) {
    RTECHO_ASSERT(reinterpret_cast<std::uintptr_t>(memory.data()) % limits::cache_line_bytes == 0);
    RTECHO_ASSERT(memory.size() >= bytes_for(slots, slot_bytes));
  }

  [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t slots, std::size_t slot_bytes) {
    return slots * rounded(slot_bytes);
  }
  [[nodiscard]] std::uint32_t slots() const { return slots_; }
  [[nodiscard]] std::size_t slot_bytes() const { return slot_bytes_; }
  [[nodiscard]] std::span<std::byte> slot(std::uint32_t index) const {
    RTECHO_ASSERT(index < slots_);
    return memory_.subspan(index * slot_bytes_, slot_bytes_);
  }

 private:
  static constexpr std::size_t rounded(std::size_t bytes) {
    return (bytes + limits::cache_line_bytes - 1) / limits::cache_line_bytes * limits::cache_line_bytes;
  }
  std::span<std::byte> memory_;
  std::size_t slot_bytes_;
  std::uint32_t slots_;
};

// The free slots of a block, last freed first: that one is still in the cache. Not shared between threads.
template <std::uint32_t Capacity>
class FramePool {
 public:
  explicit FramePool(std::uint32_t slots) : slots_(slots), free_(slots) {
    RTECHO_ASSERT(slots <= Capacity);
    for (std::uint32_t i = 0; i < slots; ++i) {
      indices_[i] = slots - 1 - i;  // slot 0 is taken first
    }
  }
  [[nodiscard]] std::uint32_t free() const { return free_; }
  [[nodiscard]] std::optional<std::uint32_t> take() {
    if (free_ == 0) [[unlikely]] {
      return std::nullopt;
    }
    return indices_[--free_];
  }
  void give_back(std::uint32_t index) {
    RTECHO_ASSERT(free_ < slots_);
    indices_[free_++] = index;
  }

 private:
  std::array<std::uint32_t, Capacity> indices_{};
  std::uint32_t slots_;
  std::uint32_t free_;
};

}  // namespace rtecho
