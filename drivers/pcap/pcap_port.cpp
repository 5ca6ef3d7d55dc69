#include "drivers/pcap_port.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "drivers/frame_checks.hpp"
#include "pcap_system.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::drivers {

namespace {

constexpr Duration wait_longest = Duration::from_ms(20);

// What one pcap_dispatch brought.
struct Batch {
  const FrameBlock& block;
  std::span<FrameArrival> arrivals;
  PcapGlance& glance;
  std::size_t count = 0;
  std::uint64_t truncated = 0;
};

void take_frame(u_char* user, const pcap_pkthdr* header, const u_char* bytes) noexcept {
  Batch& batch = *reinterpret_cast<Batch*>(user);
  batch.glance.note_frame(bytes);
  const auto slot = static_cast<std::uint32_t>(batch.count);
  const std::span<std::byte> room = batch.block.slot(slot).subspan(PcapPort::headroom_bytes);
  const std::size_t copied = std::min<std::size_t>(header->caplen, room.size());
  std::memcpy(room.data(), bytes, copied);
  const bool is_truncated = copied < header->len;
  batch.truncated += is_truncated ? 1 : 0;
  batch.arrivals[batch.count++] = FrameArrival{.bytes = room.first(copied), .slot = slot, .truncated = is_truncated};
}

}  // namespace

PcapPort::PcapPort(PcapHandle handle, std::span<std::byte> memory)
    : glance_(mapped_ring(handle.get())),
      handle_(std::move(handle)),
      block_(memory, slots + 1, headroom_bytes + handle_.snap_bytes()) {}

std::size_t PcapPort::receive(std::span<FrameArrival> arrivals) noexcept {
  // A count of 0 would mean "as many as there are" (pcap_dispatch(3PCAP)).
  const std::size_t most = std::min<std::size_t>(arrivals.size(), slots);
  if (most == 0 || health_ != PortHealth::open || !glance_.may_have_frame()) {
    return 0;
  }
  Batch batch{.block = block_, .arrivals = arrivals.first(most), .glance = glance_};
  if (pcap_dispatch(handle_.get(), static_cast<int>(most), take_frame, reinterpret_cast<u_char*>(&batch)) < 0) {
    if (interface_is_gone(handle_.get())) {
      health_ = PortHealth::peer_closed;
    } else {
      ++counters_.receive_failed;
    }
  }
  counters_.truncated += batch.truncated;
  return batch.count;
}

SendOutcome PcapPort::reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept {
  RTECHO_ASSERT(arrival.slot < slots);
  return transmit(frame);
}

std::span<std::byte> PcapPort::acquire(std::size_t bytes) noexcept {
  return bytes <= handle_.snap_bytes() ? block_.slot(slots).subspan(headroom_bytes, bytes) : std::span<std::byte>{};
}

SendOutcome PcapPort::transmit(std::span<const std::byte> frame) noexcept {
  forget_send_fault();
  if (pcap_inject(handle_.get(), frame.data(), frame.size()) >= 0) {
    refusals_began_ = Instant{};
    return SendOutcome::sent;
  }
  switch (last_send_fault()) {
    case PcapSendFault::would_block:
      ++counters_.send_would_block;
      return SendOutcome::would_block;
    case PcapSendFault::no_buffer:
      ++counters_.send_no_buffer;
      return SendOutcome::would_block;
    case PcapSendFault::link_down:
      ++counters_.link_down;
      if (refusals_began_ == Instant{}) {
        refusals_began_ = now();
      } else if (now() - refusals_began_ >= link_down_longest) {
        health_ = PortHealth::failed;
      }
      return SendOutcome::would_block;
    case PcapSendFault::interface_gone:
      health_ = PortHealth::peer_closed;
      break;
    case PcapSendFault::other:
      break;
  }
  ++counters_.send_failed;
  return SendOutcome::failed;
}

void PcapPort::wait(Instant until) noexcept {
  const Duration left = until - now();
  if (left > Duration{} && health_ == PortHealth::open) {
    wait_for_frame(handle_.get(), left < wait_longest ? left : wait_longest);
    glance_.distrust();
  }
}

FrameCapabilities PcapPort::capabilities() const noexcept {
  return {.frame_bytes_max = handle_.snap_bytes() - static_cast<std::uint32_t>(vlan_tag_bytes),
          .receive_batch_max = slots,
          .headroom_bytes = headroom_bytes,
          .reply_copies = true};
}

PortCounters PcapPort::counters() const noexcept {
  PortCounters result = counters_;
  pcap_stat seen{};
  if (pcap_stats(handle_.get(), &seen) == 0) {  // else it cannot be told, and the other counters stay true
    result.receive_overruns += seen.ps_drop;
  }
  return result;
}

}  // namespace rtecho::drivers
