// Keeps the K largest entries that were offered, in fixed memory. The common case, an entry smaller than all that
// are kept, is one comparison.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "rt_core/time.hpp"

namespace rtecho {

// Entry has a member `Duration length`.
template <typename Entry, std::size_t K>
class LargestKeeper {
 public:
  // Whether an entry of this length would be kept; asked before one is put together.
  [[nodiscard]] bool admits(Duration length) const { return length > limit_; }
  // The longest length that would not be kept.
  [[nodiscard]] Duration limit() const { return limit_; }
  // True where the entry was kept.
  bool offer(const Entry& entry) {
    if (!admits(entry.length)) {
      return false;
    }
    insert(entry);
    return true;
  }
  // In no order.
  [[nodiscard]] std::span<const Entry> entries() const { return std::span(entries_).first(size_); }

 private:
  [[gnu::noinline, gnu::cold]] void insert(const Entry& entry) {
    if (size_ < K) {
      entries_[size_++] = entry;
    } else {
      entries_[smallest_index_] = entry;
    }
    smallest_index_ = 0;
    for (std::size_t i = 1; i < size_; ++i) {
      if (entries_[i].length < entries_[smallest_index_].length) {
        smallest_index_ = i;
      }
    }
    if (size_ == K) {
      limit_ = entries_[smallest_index_].length;
    }
  }

  std::array<Entry, K> entries_{};
  std::size_t size_ = 0;
  std::size_t smallest_index_ = 0;
  Duration limit_ = Duration::from_ns(std::numeric_limits<std::int64_t>::min());  // until it is full
};

}  // namespace rtecho
