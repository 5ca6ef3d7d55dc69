// Which of the last 65,472 sequence numbers were seen: tells a repeated request from a new one in fixed memory.
//
// Numbers that come in order are only counted. Their bits are written when the first one comes that is out of order.
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
    if (sequence != next_) [[unlikely]] {
      write_run();
      return mark_out_of_order(sequence);
    }
    ++next_;
    return Sighting::fresh;
  }

  // One more than the highest number seen.
  [[nodiscard]] std::uint64_t next() const { return next_; }

 private:
  static constexpr std::size_t word_count = limits::outstanding_ring / 64;
  static constexpr std::size_t word_of(std::uint64_t sequence) { return (sequence / 64) % word_count; }

  [[gnu::noinline]] Sighting mark_out_of_order(std::uint64_t sequence) {
    if (sequence > next_) {
      if (sequence - next_ >= limits::outstanding_ring) {
        return Sighting::too_far_ahead;
      }
      pass_over(sequence);
      ++next_;
      return Sighting::fresh;
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

  // Writes the bits of the numbers that were only counted. At most the whole table is written.
  [[gnu::noinline]] void write_run() {
    const std::uint64_t ring = limits::outstanding_ring;
    std::uint64_t first = next_ - written_ > ring ? next_ - ring : written_;
    while (first != next_) {
      const std::uint64_t end = next_ < (first / 64 + 1) * 64 ? next_ : (first / 64 + 1) * 64;
      const std::uint64_t bits = (~std::uint64_t{0} >> (64 - (end - first))) << (first % 64);
      std::uint64_t& word = words_[word_of(first)];
      word = first % 64 == 0 ? bits : word | bits;  // the first number of a word clears what the window leaves behind
      first = end;
    }
    written_ = next_;
  }

  // Numbers up to `sequence` are missing for now. At most the whole table is cleared.
  void pass_over(std::uint64_t sequence) {
    for (std::uint64_t word = (next_ + 63) / 64; word <= sequence / 64; ++word) {
      words_[word % word_count] = 0;
    }
    next_ = sequence;
    written_ = sequence;
  }

  std::array<std::uint64_t, word_count> words_{};
  std::uint64_t next_ = 0;
  std::uint64_t written_ = 0;  // numbers from here to next_ were all seen, and have no bits yet
};

}  // namespace rtecho
