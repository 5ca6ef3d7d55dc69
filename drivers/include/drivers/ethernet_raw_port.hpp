// Echo messages in raw Ethernet frames (docs/wire_protocol.md, "Raw Ethernet"): EtherType 0x88B5, two bytes that say
// how long the message is, the message, padding up to the shortest frame. Over any frame driver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "drivers/frame_checks.hpp"
#include "rt_core/bytes.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"

namespace rtecho::drivers {

// In front of each message: its length.
inline constexpr std::size_t raw_length_field_bytes = 2;

struct EthernetRawPlan {
  MacAddress local;
  // The one station that is listened and sent to. Zero, for a server without a control channel: whoever asks is
  // answered at the address that it asked from.
  MacAddress peer;
  std::optional<VlanTag> tag;
};

template <FramePort Frames>
class EthernetRawPort {
 public:
  static constexpr std::size_t length_field_bytes = raw_length_field_bytes;

  // `frames` must outlive the port. With a tag, replies need its headroom where the driver strips tags.
  EthernetRawPort(Frames& frames, const EthernetRawPlan& plan) noexcept : frames_(frames), plan_(plan) {
    const EthernetHeader header{plan.peer, plan.local, plan.tag, ether_type::echo};
    header.emit(header_);
    header_bytes_ = header.bytes();
  }

  [[nodiscard]] Instant now() noexcept { return frames_.now(); }

  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept {
    const std::size_t room = arrivals.size() < frame_arrivals_.size() ? arrivals.size() : frame_arrivals_.size();
    const std::size_t looked = frames_.receive(std::span(frame_arrivals_).first(room));
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < looked; ++i) {
      const FrameArrival& frame = frame_arrivals_[i];
      std::span<std::byte> message;
      if (find_message(frame, message)) {
        arrivals[count++] = Arrival{.bytes = message, .slot = i, .truncated = frame.truncated};
      } else {
        frames_.release(frame);
      }
    }
    return count;
  }

  SendOutcome reply(const Arrival& arrival) noexcept {
    const FrameArrival& frame = frame_arrivals_[arrival.slot];
    const std::size_t in_front = header_bytes_ + length_field_bytes;
    if (!fits_in_front(frame, arrival.bytes.data(), in_front, frames_.capabilities().headroom_bytes)) {
      frames_.release(frame);
      ++counters_.send_failed;
      return SendOutcome::failed;
    }
    std::byte* const begin = arrival.bytes.data() - in_front;
    const MacAddress asked_from = load_mac(frame.bytes, ethernet_offset::source);
    std::memcpy(begin, header_.data(), header_bytes_);
    if (plan_.peer.is_zero()) {
      std::memcpy(begin + ethernet_offset::destination, asked_from.bytes().data(), MacAddress::bytes_count);
    }
    const auto room = static_cast<std::size_t>(frame.bytes.data() + frame.bytes.size() - begin);
    const std::size_t bytes = in_front + arrival.bytes.size();
    // As padded as the request was: what is behind its end is not ours to send.
    return frames_.reply(frame, std::span(begin, bytes < room ? padded(bytes, room) : bytes));
  }

  void release(const Arrival& arrival) noexcept { frames_.release(frame_arrivals_[arrival.slot]); }

  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
    const std::size_t in_front = header_bytes_ + length_field_bytes;
    if (bytes > capabilities().message_bytes_max) {
      return {};
    }
    const std::size_t frame_bytes = padded(in_front + bytes, ethernet_frame_bytes_min);
    const std::span<std::byte> frame = frames_.acquire(frame_bytes);
    if (frame.size() < frame_bytes) {
      return {};
    }
    return frame.subspan(in_front, bytes);
  }

  SendOutcome send(std::span<std::byte> message) noexcept {
    const std::size_t in_front = header_bytes_ + length_field_bytes;
    std::byte* const begin = message.data() - in_front;
    std::memcpy(begin, header_.data(), header_bytes_);
    store_big_endian(std::span(begin + header_bytes_, length_field_bytes), 0,
                     static_cast<std::uint16_t>(message.size()));
    const std::size_t bytes = in_front + message.size();
    const std::size_t frame_bytes = padded(bytes, ethernet_frame_bytes_min);
    std::memset(begin + bytes, 0, frame_bytes - bytes);
    return frames_.send(std::span(begin, frame_bytes));
  }

  void wait(Instant until) noexcept { frames_.wait(until); }

  [[nodiscard]] PortCapabilities capabilities() const noexcept {
    const FrameCapabilities frames = frames_.capabilities();
    const std::size_t in_front = ethernet_header_bytes + length_field_bytes;
    const std::size_t most = frames.frame_bytes_max > in_front ? frames.frame_bytes_max - in_front : 0;
    return {.message_bytes_max =
                static_cast<std::uint32_t>(most < limits::message_bytes_max ? most : limits::message_bytes_max),
            .receive_batch_max = frames.receive_batch_max,
            .reply_copies = frames.reply_copies};
  }
  [[nodiscard]] PortHealth health() const noexcept { return frames_.health(); }
  [[nodiscard]] PortCounters counters() const noexcept { return counters_ + frames_.counters(); }

 private:
  static constexpr std::size_t padded(std::size_t bytes, std::size_t room) {
    const std::size_t least = room < ethernet_frame_bytes_min ? room : ethernet_frame_bytes_min;
    return bytes < least ? least : bytes;
  }

  [[nodiscard]] bool find_message(const FrameArrival& arrival, std::span<std::byte>& message) noexcept {
    const std::optional<EthernetView> frame = EthernetView::of(arrival.bytes);
    if (!frame || !is_of_vlan(arrival, *frame, plan_.tag) || frame->type() != ether_type::echo ||
        frame->destination() != plan_.local || !is_peer(frame->source())) {
      ++counters_.foreign_frames;
      return false;
    }
    const std::span<std::byte> payload = frame->payload();
    if (payload.size() < length_field_bytes) {
      ++counters_.malformed_frames;
      return false;
    }
    const std::size_t bytes = load_big_endian<std::uint16_t>(payload, 0);
    if (bytes > payload.size() - length_field_bytes && !arrival.truncated) {
      ++counters_.malformed_frames;
      return false;
    }
    const std::size_t there = payload.size() - length_field_bytes;
    message = payload.subspan(length_field_bytes, bytes < there ? bytes : there);
    return true;
  }

  // Nobody is answered at a group's address, at ours, or at none.
  [[nodiscard]] bool is_peer(const MacAddress& source) const noexcept {
    return plan_.peer.is_zero() ? source.is_station() && source != plan_.local : source == plan_.peer;
  }

  Frames& frames_;
  EthernetRawPlan plan_;
  std::array<std::byte, ethernet_header_bytes + vlan_tag_bytes> header_{};
  std::size_t header_bytes_ = 0;
  std::array<FrameArrival, limits::receive_batch> frame_arrivals_{};
  PortCounters counters_;
};

}  // namespace rtecho::drivers
