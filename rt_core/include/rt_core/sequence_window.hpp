// Which of the last 65,472 sequence numbers were seen: tells a repeated request from a new one in fixed memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "rt_core/limits.hpp"

namespace rtecho {

// What a number is to the window.
enum class Sighting : std::uint8_t {
  fresh,
  repeated,       // seen before, or older than the window: a client never has as many outstanding
  too_far_ahead,  // further ahead than a whole ring: no client can have come to it; not marked
};

class SequenceWindow {
 public:
  Sighting mark(std::uint64_t sequence) {
    if (sequence != next_) {
      return mark_out_of_order(sequence);
    }
    std::uint64_t& word = words_[word_of(sequence)];
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    word = bit == 1 ? bit : word | bit;  // the first number of a word clears what the window leaves behind
    ++next_;
    return Sighting::fresh;
  }

  // One more than the highest number seen.
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  static constexpr std::size_t word_count = limits::outstanding_ring / 64;
  static constexpr std::size_t word_of(std::uint64_t sequence) { return (sequence / 64) % word_count; }

  Sighting mark_out_of_order(std::uint64_t sequence) {
    if (sequence > next_) {
      if (sequence - next_ >= limits::outstanding_ring) {
        return Sighting::too_far_ahead;
      }
      pass_over(sequence);
      return mark(sequence);
    }
    if (next_ - sequence > limits::outstanding_ring - 64) {  // its word may hold newer numbers by now
      return Sighting::repeated;
    }
    std::uint64_t& word = words_[word_of(sequence)];
    const std::uint64_t bit = std::uint64_t{1} << (sequence % 64);
    const bool fresh = (word & bit) == 0;
    word |= bit;
    return fresh ? Sighting::fresh : Sighting::repeated;
  }

  // Numbers up to `sequence` are missing for now. At most the whole table is cleared.
  void pass_over(std::uint64_t sequence) {
    for (std::uint64_t word = (next_ + 63) / 64; word <= sequence / 64; ++word) {
      words_[word % word_count] = 0;
    }
    next_ = sequence;
  }

  std::array<std::uint64_t, word_count> words_{};
  std::uint64_t next_ = 0;
};

}  // namespace rtecho
