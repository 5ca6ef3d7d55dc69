// A message port that wraps another one and spoils what this end sends: drops, delays, duplicates, reorders, flips
// bits, cuts short, pads. The faults follow from the seed and the order of the messages alone, so a run can be
// repeated. Over a port whose messages are frames (drivers/frames_over.hpp), it is a bad wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "rt_core/assert.hpp"
#include "rt_core/bytes.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/frame_block.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

// How often what happens: per million messages, drawn for each message and each fault on its own. A message can meet
// several faults; one that is dropped meets no other.
struct FaultPlan {
  std::uint64_t seed = 1;

  std::uint32_t drop_per_million = 0;
  std::uint64_t drop_first = 0;                 // the first n messages never arrive …
  std::uint64_t drop_from = ~std::uint64_t{0};  // … nor this one, counted from 0, and any after it

  std::uint32_t burst_per_million = 0;  // here a burst begins, unless one is going on:
  std::uint64_t burst_length = 1;       // so many in a row never arrive

  std::uint32_t delay_per_million = 0;
  Duration delay_fixed{};
  Duration delay_random{};  // 0 up to this is added; below 4 s

  std::uint32_t duplicate_per_million = 0;          // the copy follows the message at once
  std::uint32_t altered_duplicate_per_million = 0;  // the same, but one byte of the copy is another one

  std::uint32_t reorder_per_million = 0;             // the message is overtaken by the next one …
  Duration reorder_patience = Duration::from_ms(1);  // … but goes out after this when there is none

  std::uint32_t corrupt_per_million = 0;  // one bit, anywhere

  std::uint32_t truncate_per_million = 0;
  std::uint32_t truncate_bytes_max = 1;  // 1 up to this are missing at the end; one byte is always left

  std::uint32_t runt_per_million = 0;  // shorter than it was, and than any Ethernet frame (60 bytes)

  std::uint32_t pad_per_million = 0;
  std::uint32_t pad_bytes_max = 1;  // 1 up to this are appended, as far as the inner port's messages may be so long

  // The 16 bits at this offset become others, which neither mean the same in one's complement nor that there is none.
  std::uint32_t checksum_per_million = 0;
  std::size_t checksum_offset = 0;
};

// What was done. When nothing is held any more, the inner port was handed messages - dropped + duplicated.
struct FaultCounters {
  std::uint64_t messages = 0;  // that this end sent or replied
  std::uint64_t dropped = 0;   // in bursts too
  std::uint64_t bursts = 0;    // that began
  std::uint64_t delayed = 0;
  std::uint64_t duplicated = 0;  // altered ones too
  std::uint64_t altered_duplicates = 0;
  std::uint64_t reordered = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t truncated = 0;
  std::uint64_t runts = 0;
  std::uint64_t padded = 0;
  std::uint64_t checksums = 0;        // altered
  std::uint64_t passed_unharmed = 0;  // faults not done, because the block of held messages was full
  std::uint64_t discarded = 0;        // of those handed on later: the inner port failed to send them
};

// For datagrams: on a stream most of these faults would be the wrapper's, not the network's.
template <MessagePort Port>
class FaultPort {
 public:
  static constexpr std::uint32_t held_max = 64;

  // `held` keeps messages that have met a fault until they go out, and one slot is the frame of acquire(). Its slots
  // must be as long as the messages. Port and memory must outlive this.
  FaultPort(Port& inner, const FaultPlan& plan, const FrameBlock& held)
      : inner_(inner), plan_(plan), block_(held), pool_(held.slots()), random_state_(plan.seed) {
    RTECHO_ASSERT(held.slots() >= 2);
    RTECHO_ASSERT(plan.delay_random < Duration::from_s(4) && plan.truncate_bytes_max > 0 && plan.pad_bytes_max > 0);
    frame_slot_ = *pool_.take();
  }

  [[nodiscard]] Instant now() noexcept { return inner_.now(); }

  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept {
    send_due();
    return inner_.receive(arrivals);
  }

  SendOutcome reply(const Arrival& arrival) noexcept {
    const Faults faults = draw(arrival.bytes.size());
    const bool is_held = faults.any && hold(arrival.bytes, faults);
    SendOutcome outcome = SendOutcome::sent;
    if (faults.drop || is_held) {
      inner_.release(arrival);
    } else {
      outcome = inner_.reply(arrival);
    }
    note_message(faults, is_held);
    return outcome;
  }

  void release(const Arrival& arrival) noexcept { inner_.release(arrival); }

  // The frame is this port's own, so that a held message can go out while the caller still offers one.
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
    return bytes <= capabilities().message_bytes_max ? block_.slot(frame_slot_).first(bytes) : std::span<std::byte>{};
  }

  SendOutcome send(std::span<std::byte> frame) noexcept {
    const std::uint64_t state_before = random_state_;
    const Faults faults = draw(frame.size());
    const bool is_held = faults.any && hold(frame, faults);
    SendOutcome outcome = SendOutcome::sent;
    if (!faults.drop && !is_held) {
      outcome = pass_on(frame);
    }
    if (outcome == SendOutcome::would_block) {
      random_state_ = state_before;  // the same message will be offered again and meets the same faults
    } else {
      note_message(faults, is_held);
    }
    return outcome;
  }

  void wait(Instant until) noexcept {
    send_due();
    for (std::uint32_t i = 0; i < held_count_; ++i) {
      until = earlier(until, held_[i].due);
    }
    inner_.wait(until);
  }

  [[nodiscard]] PortCapabilities capabilities() const noexcept {
    PortCapabilities result = inner_.capabilities();
    if (block_.slot_bytes() < result.message_bytes_max) {
      result.message_bytes_max = static_cast<std::uint32_t>(block_.slot_bytes());
    }
    return result;
  }
  [[nodiscard]] PortHealth health() const noexcept { return inner_.health(); }
  [[nodiscard]] PortCounters counters() const noexcept { return inner_.counters(); }

  [[nodiscard]] const FaultCounters& faults() const { return counters_; }
  [[nodiscard]] std::uint32_t held() const { return held_count_; }

 private:
  struct Faults {
    bool drop = false;
    bool any = false;  // of the following; never with drop
    bool delay = false;
    bool duplicate = false;
    bool reorder = false;
    bool corrupt = false;
    bool alter_copy = false;
    bool truncate = false;
    bool runt = false;
    bool pad = false;
    bool checksum = false;
    bool begins_burst = false;
    Duration delay_by;
    std::uint64_t corrupt_place = 0;  // this and the places below: 0 … 2^32 - 1 of a length
    std::size_t missing_bytes = 0;
    std::uint64_t runt_place = 0;
    std::size_t pad_bytes = 0;
    std::byte pad_value{};
    std::uint64_t copy_place = 0;
    std::byte copy_change{};
    std::uint16_t checksum_step = 0;
  };

  struct Held {
    std::uint32_t slot = 0;
    std::size_t bytes = 0;
    Instant due;
    std::uint64_t message = 0;  // its number
    bool until_next = false;    // or earlier: as soon as another message has gone by
  };

  static constexpr std::size_t runt_limit = ethernet_frame_bytes_min;
  static constexpr std::uint32_t checksum_values = 0xFFFE;  // 1 … 0xFFFE

  // SplitMix64 (Steele, Lea, Flood 2014): every seed is a good one, and the state is one word.
  [[nodiscard]] std::uint64_t random() noexcept {
    random_state_ += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t z = random_state_;
    z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27U)) * 0x94D0'49BB'1331'11EB;
    return z ^ (z >> 31U);
  }
  // 0 … limit - 1, for limits below 2^32.
  [[nodiscard]] std::uint64_t random_below(std::uint64_t limit) noexcept { return ((random() >> 32U) * limit) >> 32U; }
  [[nodiscard]] bool happens(std::uint32_t per_million) noexcept { return random_below(1'000'000) < per_million; }

  // Always the same number of draws, so that one fault's frequency does not change where the others strike.
  [[nodiscard]] Faults draw(std::size_t message_bytes) noexcept {
    Faults faults;
    faults.drop = happens(plan_.drop_per_million) || counters_.messages < plan_.drop_first ||
                  counters_.messages >= plan_.drop_from;
    faults.begins_burst = happens(plan_.burst_per_million) && burst_left_ == 0 && plan_.burst_length > 0;
    faults.drop = faults.drop || faults.begins_burst || burst_left_ > 0;
    faults.delay = happens(plan_.delay_per_million);
    faults.duplicate = happens(plan_.duplicate_per_million);
    faults.reorder = happens(plan_.reorder_per_million);
    faults.corrupt = happens(plan_.corrupt_per_million) && message_bytes > 0;
    faults.truncate = happens(plan_.truncate_per_million) && message_bytes > 1;
    faults.delay_by = plan_.delay_fixed + Duration::from_ns(static_cast<std::int64_t>(
                                              random_below(static_cast<std::uint64_t>(plan_.delay_random.ns()) + 1)));
    faults.corrupt_place = random() >> 32U;
    faults.missing_bytes = 1 + random_below(plan_.truncate_bytes_max);
    draw_frame_faults(message_bytes, faults);
    faults.any = !faults.drop && (faults.delay || faults.duplicate || faults.alter_copy || faults.reorder ||
                                  faults.corrupt || faults.truncate || faults.runt || faults.pad || faults.checksum);
    return faults;
  }

  void draw_frame_faults(std::size_t message_bytes, Faults& faults) noexcept {
    faults.alter_copy = happens(plan_.altered_duplicate_per_million) && message_bytes > 0;
    faults.runt = happens(plan_.runt_per_million) && message_bytes > 1;
    faults.pad = happens(plan_.pad_per_million) && message_bytes < capabilities().message_bytes_max;
    faults.checksum = happens(plan_.checksum_per_million);
    const std::uint64_t copy = random();
    faults.copy_place = copy >> 32U;
    faults.copy_change = static_cast<std::byte>(1 + (copy & 0xFFFFU) % 255);
    faults.runt_place = random() >> 32U;
    faults.pad_bytes = 1 + random_below(plan_.pad_bytes_max);
    faults.pad_value = static_cast<std::byte>(random() >> 56U);
    faults.checksum_step = static_cast<std::uint16_t>(random_below(checksum_values - 1));
  }

  // How long the message is after cutting and padding; counted.
  [[nodiscard]] std::size_t spoilt_bytes(std::size_t bytes, const Faults& faults) noexcept {
    if (faults.truncate) {
      ++counters_.truncated;
      bytes -= faults.missing_bytes < bytes ? faults.missing_bytes : bytes - 1;
    }
    if (faults.runt && bytes > 1) {
      ++counters_.runts;
      const std::size_t limit = bytes < runt_limit ? bytes : runt_limit;
      bytes = 1 + ((faults.runt_place * (limit - 1)) >> 32U);
    }
    if (faults.pad) {
      ++counters_.padded;
      const std::size_t room = capabilities().message_bytes_max - bytes;
      bytes += faults.pad_bytes < room ? faults.pad_bytes : room;
    }
    return bytes;
  }

  // Steps over the values that are told apart from "none", 0 and 0xFFFF left out, and never comes back to where it was.
  void alter_checksum(std::span<std::byte> message, const Faults& faults) noexcept {
    if (!faults.checksum || message.size() < 2 || plan_.checksum_offset > message.size() - 2) {
      return;
    }
    const std::uint32_t before = load_big_endian<std::uint16_t>(message, plan_.checksum_offset) % 0xFFFFU;
    const std::uint32_t after = 1 + (before + faults.checksum_step) % checksum_values;
    store_big_endian(message, plan_.checksum_offset, static_cast<std::uint16_t>(after));
    ++counters_.checksums;
  }

  // Takes a spoilt copy of the message (two for a duplicate); false when there is no room for it.
  [[nodiscard]] bool hold(std::span<const std::byte> message, const Faults& faults) noexcept {
    const bool is_doubled = faults.duplicate || faults.alter_copy;
    if (pool_.free() < (is_doubled ? 2U : 1U) || message.size() > block_.slot_bytes()) {
      return false;
    }
    Held entry{.bytes = message.size(), .due = now(), .message = counters_.messages};
    if (faults.delay) {
      ++counters_.delayed;
      entry.due += faults.delay_by;
    }
    // One at a time: two that both wait for the next one would leave in their old order.
    if (faults.reorder && !is_one_until_next()) {
      ++counters_.reordered;
      entry.due += plan_.reorder_patience;
      entry.until_next = true;
    }
    entry.bytes = spoilt_bytes(message.size(), faults);
    entry.slot = *pool_.take();
    const std::span<std::byte> spoilt = block_.slot(entry.slot).first(entry.bytes);
    const std::size_t kept = message.size() < spoilt.size() ? message.size() : spoilt.size();
    std::memcpy(spoilt.data(), message.data(), kept);
    std::memset(spoilt.data() + kept, std::to_integer<int>(faults.pad_value), spoilt.size() - kept);
    alter_checksum(spoilt, faults);
    if (faults.corrupt) {
      ++counters_.corrupted;
      const std::uint64_t bit = (faults.corrupt_place * spoilt.size() * 8) >> 32U;
      spoilt[bit / 8] ^= std::byte{1} << (bit % 8);
    }
    held_[held_count_++] = entry;
    if (is_doubled) {
      hold_copy(entry, spoilt, faults);
    }
    return true;
  }

  void hold_copy(Held entry, std::span<const std::byte> original, const Faults& faults) noexcept {
    ++counters_.duplicated;
    entry.slot = *pool_.take();
    const std::span<std::byte> copy = block_.slot(entry.slot).first(entry.bytes);
    std::memcpy(copy.data(), original.data(), copy.size());
    if (faults.alter_copy) {
      ++counters_.altered_duplicates;
      copy[(faults.copy_place * copy.size()) >> 32U] ^= faults.copy_change;
    }
    held_[held_count_++] = entry;
  }

  // A message has gone by, or is held: what waited for it comes after it.
  void note_message(const Faults& faults, bool is_held) noexcept {
    counters_.dropped += faults.drop ? 1 : 0;
    if (faults.begins_burst) {
      ++counters_.bursts;
      burst_left_ = plan_.burst_length;
    }
    burst_left_ -= burst_left_ > 0 ? 1 : 0;
    counters_.passed_unharmed += faults.any && !is_held ? 1 : 0;
    send_due();
    for (std::uint32_t i = 0; i < held_count_; ++i) {
      if (held_[i].until_next && held_[i].message != counters_.messages) {
        held_[i].until_next = false;
        held_[i].due = earlier(held_[i].due, now());
      }
    }
    send_due();
    ++counters_.messages;
  }

  [[nodiscard]] bool is_one_until_next() const noexcept {
    for (std::uint32_t i = 0; i < held_count_; ++i) {
      if (held_[i].until_next) {
        return true;
      }
    }
    return false;
  }

  // In the order of their times; those of one time in the order in which they were held.
  void send_due() noexcept {
    if (held_count_ == 0) {
      return;
    }
    const Instant time = now();
    for (std::uint32_t left = held_count_; left > 0; --left) {
      std::uint32_t first = 0;
      for (std::uint32_t i = 1; i < held_count_; ++i) {
        first = held_[i].due < held_[first].due ? i : first;
      }
      const Held entry = held_[first];
      if (entry.due > time) {
        return;
      }
      const SendOutcome outcome = pass_on(block_.slot(entry.slot).first(entry.bytes));
      if (outcome == SendOutcome::would_block) {
        return;  // it stays held: at the next look again
      }
      counters_.discarded += outcome == SendOutcome::failed ? 1 : 0;
      pool_.give_back(entry.slot);
      --held_count_;
      for (std::uint32_t i = first; i < held_count_; ++i) {
        held_[i] = held_[i + 1];
      }
    }
  }

  [[nodiscard]] SendOutcome pass_on(std::span<const std::byte> message) noexcept {
    const std::span<std::byte> frame = inner_.acquire(message.size());
    if (frame.data() == nullptr) {
      return SendOutcome::would_block;
    }
    std::memcpy(frame.data(), message.data(), message.size());
    return inner_.send(frame);
  }

  Port& inner_;
  FaultPlan plan_;
  FrameBlock block_;
  FramePool<held_max> pool_;
  std::array<Held, held_max> held_{};  // oldest first
  std::uint32_t held_count_ = 0;
  std::uint32_t frame_slot_ = 0;  // what acquire() hands out
  std::uint64_t random_state_;
  std::uint64_t burst_left_ = 0;  // messages of the burst that is going on
  FaultCounters counters_;
};

}  // namespace rtecho::drivers
