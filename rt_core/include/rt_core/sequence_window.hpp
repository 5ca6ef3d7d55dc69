// Which of the last 65,472 sequence numbers were seen: tells a repeated request from a new one in fixed memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rt_core/limits.hpp"

namespace rtecho {

class SequenceWindow {
 public:
  // True where this number was not seen before. A number older than the window counts as seen: a client never
  // has as many outstanding, so it can only be a repetition.
  bool mark(std::uint64_t sequence) {
    if (sequence >= next_) {
      advance_to(sequence);
    } else if (next_ - sequence > limits::outstanding_ring - 64) {  // its word may hold newer numbers by now
      return false;
    }
    std::uint64_t& word = words_[word_of(sequence)];
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    const bool fresh = (word & bit) == 0;
    word |= bit;
    return fresh;
  }

  // One more than the highest number seen.
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  static constexpr std::size_t word_count = limits::outstanding_ring / 64;
  static constexpr std::size_t word_of(std::uint64_t sequence) { return (sequence / 64) % word_count; }

  // Forgets what the window leaves behind. A word is cleared when its first number is reached; a jump clears at
  // most the whole table.
  void advance_to(std::uint64_t sequence) {
    if (sequence - next_ >= limits::outstanding_ring) {
      words_.fill(0);
    } else {
      for (std::uint64_t word = (next_ + 63) / 64; word <= sequence / 64; ++word) {
        words_[word % word_count] = 0;
      }
    }
    next_ = sequence + 1;
  }

  std::array<std::uint64_t, word_count> words_{};
  std::uint64_t next_ = 0;
};

}  // namespace rtecho
