#include "drivers/ring_port.hpp"

#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include "drivers/frame_checks.hpp"
#include "rt_core/assert.hpp"
#include "rt_core/ethernet.hpp"
#include "socket_calls.hpp"

namespace rtecho::drivers {

namespace {

// Without an offset of its own a frame begins behind the header in a transmit slot (tpacket_parse_header in the
// kernel's net/packet/af_packet.c).
constexpr std::size_t transmit_frame_at = sizeof(tpacket2_hdr);
static_assert(transmit_frame_at % TPACKET_ALIGNMENT == 0);

tpacket2_hdr& header_of(std::span<std::byte> slot) noexcept {
  return *reinterpret_cast<tpacket2_hdr*>(slot.data());
}

// The status says whose the slot is: everything else in it is read after it was loaded, and written before it is
// stored.
std::uint32_t load_status(const tpacket2_hdr& header) noexcept {
  return std::atomic_ref(const_cast<std::uint32_t&>(header.tp_status)).load(std::memory_order_acquire);
}
void store_status(tpacket2_hdr& header, std::uint32_t status) noexcept {
  std::atomic_ref(header.tp_status).store(status, std::memory_order_release);
}

ChecksumState checksum_state(std::uint32_t status) noexcept {
  if ((status & TP_STATUS_CSUMNOTREADY) != 0) {
    return ChecksumState::partial;
  }
  return (status & TP_STATUS_CSUM_VALID) != 0 ? ChecksumState::verified : ChecksumState::unknown;
}

// The kernel forgets the interface when it goes or moves to another namespace (packet_notifier in af_packet.c), and
// does not when it is renamed. The index is never used again.
bool is_bound(int socket) noexcept {
  sockaddr_ll address{};
  socklen_t length = sizeof(address);
  return ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0 && address.sll_ifindex > 0;
}

// Whether the kernel knows of a link partner.
bool is_link_up(int socket) noexcept {
  sockaddr_ll address{};
  socklen_t length = sizeof(address);
  ifreq request{};
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    return false;
  }
  request.ifr_ifindex = address.sll_ifindex;
  return ::ioctl(socket, SIOCGIFNAME, &request) == 0 && ::ioctl(socket, SIOCGIFFLAGS, &request) == 0 &&
         (static_cast<unsigned>(request.ifr_flags) & IFF_RUNNING) != 0;
}

}  // namespace

RingPort::RingPort(PacketRing ring) noexcept : ring_(std::move(ring)), socket_(ring_.descriptor()) {}

bool RingPort::has_frame() const noexcept {
  return (load_status(header_of(ring_.receive_slot(next_))) & TP_STATUS_USER) != 0 && !is_held_[next_];
}

std::size_t RingPort::receive(std::span<FrameArrival> arrivals) noexcept {
  std::size_t count = 0;
  for (FrameArrival& arrival : arrivals) {
    const std::span<std::byte> slot = ring_.receive_slot(next_);
    const tpacket2_hdr& header = header_of(slot);
    const std::uint32_t status = load_status(header);
    if ((status & TP_STATUS_USER) == 0 || is_held_[next_]) {
      break;
    }
    const bool truncated = header.tp_snaplen < header.tp_len;
    counters_.truncated += truncated ? 1 : 0;
    arrival = FrameArrival{.bytes = slot.subspan(header.tp_mac, header.tp_snaplen),
                           .slot = next_,
                           .truncated = truncated,
                           .tag_was_stripped = (status & TP_STATUS_VLAN_VALID) != 0,
                           .stripped_tag = header.tp_vlan_tci,
                           .checksum = checksum_state(status)};
    is_held_[next_] = true;
    next_ = next_ + 1 == ring_.frames() ? 0 : next_ + 1;
    ++count;
  }
  return count;
}

SendOutcome RingPort::reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept {
  const std::span<std::byte> slot = ring_.receive_slot(arrival.slot);
  RTECHO_ASSERT(frame.data() >= arrival.bytes.data() - PacketRing::headroom_bytes &&
                frame.data() + frame.size() <= slot.data() + slot.size());
  const SendOutcome outcome = transmit(frame);
  release(arrival);
  return outcome;
}

void RingPort::release(const FrameArrival& arrival) noexcept {
  RTECHO_ASSERT(arrival.slot < ring_.frames() && is_held_[arrival.slot]);
  is_held_[arrival.slot] = false;
  store_status(header_of(ring_.receive_slot(arrival.slot)), TP_STATUS_KERNEL);
}

// Never a slot of the transmit ring: one may be lent while replies go out, and the ring knows only one order.
std::span<std::byte> RingPort::acquire(std::size_t bytes) noexcept {
  return bytes <= ring_.staging().size() ? ring_.staging().first(bytes) : std::span<std::byte>{};
}

SendOutcome RingPort::transmit(std::span<const std::byte> frame) noexcept {
  const int os_code = ring_.way() == TransmitWay::ring
                          ? push(frame)
                          : (::send(socket_, frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL) >= 0 ? 0 : errno);
  if (os_code != 0) {
    return count_refusal(os_code);
  }
  link_was_down_ = false;
  refusals_began_ = Instant{};
  return SendOutcome::sent;
}

// Each frame is either gone or taken back when this returns, so that the kernel's place in the ring and ours agree.
int RingPort::push(std::span<const std::byte> frame) noexcept {
  const std::span<std::byte> slot = ring_.transmit_slot(next_transmit_);
  tpacket2_hdr& header = header_of(slot);
  // Other bits (a time stamp, a frame that was refused) do not matter: the slot is ours.
  if ((load_status(header) & (TP_STATUS_SEND_REQUEST | TP_STATUS_SENDING)) != 0) {
    return EAGAIN;
  }
  if (frame.size() > slot.size() - transmit_frame_at) {
    return EMSGSIZE;
  }
  std::memcpy(slot.data() + transmit_frame_at, frame.data(), frame.size());
  header.tp_len = static_cast<std::uint32_t>(frame.size());
  store_status(header, TP_STATUS_SEND_REQUEST);
  const ssize_t sent = ::send(socket_, nullptr, 0, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent > 0) {
    next_transmit_ = next_transmit_ + 1 == ring_.frames() ? 0 : next_transmit_ + 1;
    return 0;
  }
  const int os_code = sent < 0 ? errno : EAGAIN;
  store_status(header, TP_STATUS_AVAILABLE);
  return os_code;
}

SendOutcome RingPort::count_refusal(int os_code) noexcept {
  switch (os_code) {
    case EAGAIN:
    case EINTR:
      ++counters_.send_would_block;
      return SendOutcome::would_block;
    case ENOBUFS:
    case ENOMEM:
      // Past the queueing discipline a link without a partner looks like a full queue.
      if (!is_link_up(socket_)) {
        return note_link_down();
      }
      ++counters_.send_no_buffer;
      return SendOutcome::would_block;
    case ENETDOWN:
      link_was_down_ = true;
      return note_link_down();
    case ENXIO:
    case ENODEV:
      health_ = PortHealth::peer_closed;
      break;
    default:
      break;
  }
  ++counters_.send_failed;
  return SendOutcome::failed;
}

// It may come up again; but not for ever.
SendOutcome RingPort::note_link_down() noexcept {
  ++counters_.link_down;
  const Instant time = now();
  if (refusals_began_ == Instant{}) {
    refusals_began_ = time;
  } else if (time - refusals_began_ >= link_down_longest) {
    health_ = PortHealth::failed;
  }
  return SendOutcome::would_block;
}

void RingPort::wait(Instant until) noexcept {
  const Duration left = until - now();
  if (left <= Duration{} || has_frame()) {
    return;
  }
  pollfd entry{};
  entry.fd = socket_;
  entry.events = POLLIN;
  const Duration longest = left < wait_longest ? left : wait_longest;
  timespec timeout{};
  timeout.tv_nsec = longest.ns();
  const bool has_error = ::ppoll(&entry, 1, &timeout, nullptr) > 0 && (entry.revents & POLLERR) != 0;
  if (has_error || link_was_down_) {
    look_after_interface();
  }
}

// The error is reported once, when the interface goes down, and the interface may vanish only after that: so this goes
// on looking until a frame was sent again.
void RingPort::look_after_interface() noexcept {
  int pending = 0;
  socklen_t length = sizeof(pending);
  ::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &pending, &length);  // clears it; what it says, is_bound knows better
  link_was_down_ = true;
  if (!is_bound(socket_)) {
    health_ = PortHealth::peer_closed;
  }
}

FrameCapabilities RingPort::capabilities() const noexcept {
  return {.frame_bytes_max = static_cast<std::uint32_t>(ethernet_header_bytes) + ring_.mtu(),
          .receive_batch_max = ring_.frames(),
          .headroom_bytes = PacketRing::headroom_bytes,
          .reply_copies = ring_.way() == TransmitWay::ring};
}

PortCounters RingPort::counters() const noexcept {
  tpacket_stats statistics{};
  socklen_t length = sizeof(statistics);
  if (::getsockopt(socket_, SOL_PACKET, PACKET_STATISTICS, &statistics, &length) == 0) {
    counters_.receive_overruns += statistics.tp_drops;
  }
  return counters_;
}

}  // namespace rtecho::drivers
