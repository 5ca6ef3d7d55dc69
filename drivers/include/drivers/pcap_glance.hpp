// Whether a look at a capture can be spared. libpcap asks the kernel (poll) at each look that finds nothing, also where
// it does not block, which takes about a microsecond; a frame that comes meanwhile waits for its end. Where the ring
// that libpcap reads is known, a load from it tells the same (decision 0016).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace rtecho::drivers {

class PcapGlance {
 public:
  // A ring of slots, each beginning with a 32-bit status whose lowest bit says that the slot holds a frame (Linux:
  // TPACKET_V2). Slots do not cross the border of a block.
  struct Ring {
    const std::byte* begin = nullptr;
    std::size_t block_bytes = 0;
    std::size_t blocks = 0;
    std::size_t slot_bytes = 0;
  };
  // Of so many looks at least one is a real one: it finds out about an interface that has gone, and about frames that
  // libpcap threw away without a word, after which this end looks at the wrong slot.
  static constexpr std::uint32_t looks_per_real_one = 256;

  // Without a ring every look is a real one. The ring must outlive this.
  explicit PcapGlance(const std::optional<Ring>& ring = std::nullopt) noexcept {
    if (ring && ring->slot_bytes >= sizeof(std::uint32_t) && ring->slot_bytes <= ring->block_bytes) {
      ring_ = *ring;
      end_ = ring->begin + ring->block_bytes * ring->blocks;
      used_of_block_ = ring->block_bytes / ring->slot_bytes * ring->slot_bytes;
    }
  }

  // False where the next slot is certainly empty.
  [[nodiscard]] bool may_have_frame() noexcept {
    if (next_ == nullptr || ++looks_ == looks_per_real_one) {
      looks_ = 0;
      return true;
    }
    const auto& status = *reinterpret_cast<const std::uint32_t*>(next_);
    return (std::atomic_ref(const_cast<std::uint32_t&>(status)).load(std::memory_order_acquire) & 1U) != 0;
  }

  // Told of each frame that libpcap hands over: its bytes lie in the slot that it has just read.
  void note_frame(const void* bytes) noexcept {
    const auto* const at = static_cast<const std::byte*>(bytes);
    if (next_ == nullptr || at < next_ || at >= next_ + ring_.slot_bytes) {
      find_slot(at);
    }
    if (next_ != nullptr) {
      step_on();
    }
  }

  // The next look is a real one.
  void distrust() noexcept { looks_ = looks_per_real_one - 1; }
  // Whether looks are spared now.
  [[nodiscard]] bool is_in_step() const noexcept { return next_ != nullptr; }

 private:
  // The first frame, and after frames that were thrown away.
  void find_slot(const std::byte* at) noexcept {
    next_ = nullptr;
    if (ring_.begin == nullptr || at < ring_.begin || at >= end_) {
      return;
    }
    const auto offset = static_cast<std::size_t>(at - ring_.begin);
    const std::size_t within = offset % ring_.block_bytes;
    if (within < used_of_block_) {
      block_ = ring_.begin + (offset - within);
      next_ = block_ + within / ring_.slot_bytes * ring_.slot_bytes;
    }
  }

  void step_on() noexcept {
    next_ += ring_.slot_bytes;
    if (next_ == block_ + used_of_block_) {
      block_ += ring_.block_bytes;
      block_ = block_ == end_ ? ring_.begin : block_;
      next_ = block_;
    }
  }

  Ring ring_;
  const std::byte* end_ = nullptr;
  std::size_t used_of_block_ = 0;
  const std::byte* block_ = nullptr;
  const std::byte* next_ = nullptr;  // the slot that is read next; unknown: null
  std::uint32_t looks_ = 0;
};

}  // namespace rtecho::drivers
