// A frame port that does what the test wrote down: which frames arrive and how (truncated, with a tag that was taken
// out, with or without headroom), and what becomes of what is sent.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "rt_core/assert.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::test {

class ScriptedFramePort {
 public:
  using Frame = std::vector<std::byte>;

  struct Delivery {
    Frame frame{};  // as it arrives: without a stripped tag
    bool truncated = false;
    bool tag_was_stripped = false;
    std::uint16_t stripped_tag = 0;
    ChecksumState checksum = ChecksumState::unknown;
  };

  // --- the script -----------------------------------------------------------------------------------------------
  std::uint32_t headroom_bytes = 0;
  std::uint32_t frame_bytes_max = 1'514;
  bool frames_left = true;
  SendOutcome outcome = SendOutcome::sent;

  void arrive(Delivery delivery) { inbox_.push_back(std::move(delivery)); }

  // --- what happened --------------------------------------------------------------------------------------------
  std::vector<Frame> sent;
  std::vector<Frame> replies;
  std::uint64_t released = 0;

  // --- FramePort ------------------------------------------------------------------------------------------------
  [[nodiscard]] Instant now() noexcept { return Instant::from_ns(1); }
  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept {
    lent_.clear();
    while (lent_.size() < arrivals.size() && !inbox_.empty()) {
      lent_.push_back(in_memory(std::move(inbox_.front())));
      inbox_.pop_front();
    }
    for (std::size_t i = 0; i < lent_.size(); ++i) {
      const Delivery& lent = lent_[i];
      arrivals[i] = FrameArrival{.bytes = std::span(lent_[i].frame).subspan(headroom_bytes),
                                 .slot = static_cast<std::uint32_t>(i),
                                 .truncated = lent.truncated,
                                 .tag_was_stripped = lent.tag_was_stripped,
                                 .stripped_tag = lent.stripped_tag,
                                 .checksum = lent.checksum};
    }
    return lent_.size();
  }
  SendOutcome reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept {
    const Frame& memory = lent_.at(arrival.slot).frame;
    // What is sent lies within the arrival's memory.
    RTECHO_ASSERT(frame.data() >= memory.data() && frame.data() + frame.size() <= memory.data() + memory.size());
    if (outcome == SendOutcome::sent) {
      replies.emplace_back(frame.begin(), frame.end());
    }
    return outcome;
  }
  void release(const FrameArrival&) noexcept { ++released; }
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
    if (!frames_left) {
      return {};
    }
    frame_.assign(bytes, std::byte{0xEE});
    return frame_;
  }
  SendOutcome send(std::span<std::byte> frame) noexcept {
    RTECHO_ASSERT(frame.data() == frame_.data() && frame.size() <= frame_.size());
    if (outcome == SendOutcome::sent) {
      sent.emplace_back(frame.begin(), frame.end());
    }
    return outcome;
  }
  void wait(Instant) noexcept {}
  [[nodiscard]] FrameCapabilities capabilities() const noexcept {
    return {.frame_bytes_max = frame_bytes_max, .receive_batch_max = 16, .headroom_bytes = headroom_bytes};
  }
  [[nodiscard]] PortHealth health() const noexcept { return PortHealth::open; }
  [[nodiscard]] PortCounters counters() const noexcept { return {.receive_overruns = 3}; }

 private:
  // Headroom, then the frame, and not a byte more: the address sanitizer sees what goes beyond.
  [[nodiscard]] Delivery in_memory(Delivery delivery) const {
    Frame memory(headroom_bytes + delivery.frame.size());
    std::copy(delivery.frame.begin(), delivery.frame.end(), memory.begin() + headroom_bytes);
    delivery.frame = std::move(memory);
    return delivery;
  }
  std::deque<Delivery> inbox_;
  std::vector<Delivery> lent_;
  Frame frame_;
};
static_assert(FramePort<ScriptedFramePort>);

}  // namespace rtecho::test
