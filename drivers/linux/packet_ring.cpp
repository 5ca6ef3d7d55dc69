#include "drivers/packet_ring.hpp"

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <vector>

#include "frame_filter.hpp"
#include "platform/os_error.hpp"
#include "rt_core/ethernet.hpp"
#include "socket_calls.hpp"

namespace rtecho::drivers {

namespace {

// Blocks are physically contiguous where the kernel finds such memory: 32 KiB is the largest order that it tries hard
// for (PAGE_ALLOC_COSTLY_ORDER). A slot that is longer has a block of its own.
constexpr std::uint32_t block_bytes_usual = 32 * 1024;
constexpr std::uint32_t mtu_max = 65'535;

// Where a frame begins in its slot: behind the kernel's header, the sender's address and 16 bytes for what precedes the
// network header, whose sum is aligned, and the headroom (tpacket_rcv in the kernel's net/packet/af_packet.c).
constexpr std::uint32_t network_header_at = 80 + PacketRing::headroom_bytes;
static_assert(sizeof(tpacket2_hdr) + sizeof(sockaddr_ll) + 16 <= 80 && 80 % TPACKET_ALIGNMENT == 0);
constexpr std::uint32_t frame_at = network_header_at - static_cast<std::uint32_t>(ethernet_header_bytes);

// Powers of two, so that slots fill blocks without a rest, the whole ring is one array, and slots begin on pages or
// evenly within them.
constexpr std::uint32_t slot_bytes_for(std::uint32_t mtu) {
  return std::bit_ceil(frame_at + static_cast<std::uint32_t>(ethernet_header_bytes + vlan_tag_bytes) + mtu);
}
static_assert(slot_bytes_for(1'500) == 2'048);
static_assert(slot_bytes_for(9'000) == 16'384);

Result<void> check(const Interface& interface, const FrameSelection& selection, const RingPlan& plan) noexcept {
  if (interface.is_loopback) {
    return Error{Status::unsupported, 0, "a ring on the loopback interface, which carries no Ethernet frames"};
  }
  if (!interface.is_ethernet) {
    return Error{Status::unsupported, 0, "a ring on an interface that carries no Ethernet frames"};
  }
  if (!interface.is_up) {
    return Error{Status::failed, ENETDOWN, "interface is down"};
  }
  if (interface.mtu > mtu_max) {
    return Error{Status::unsupported, 0, "a ring for an MTU above 65535"};
  }
  if (!selection.local.is_station()) {
    return Error{Status::invalid, 0, "local MAC address of a ring"};
  }
  if (selection.vlan_id && *selection.vlan_id > VlanTag::id_max) {
    return Error{Status::invalid, 0, "VLAN id of a ring"};
  }
  if (plan.frames < 1 || plan.frames > RingPlan::frames_max) {
    return Error{Status::invalid, 0, "number of frames of a ring"};
  }
  if (plan.tap == TapPoint::behind_protocols && (selection.vlan_id || (selection.udp && selection.udp->own_address))) {
    return Error{Status::invalid, 0, "a ring behind the protocols for VLAN tags or an address of its own"};
  }
  return {};
}

// No frame passes before this: the socket has no protocol yet.
Result<void> attach_filter(int socket, const FrameSelection& selection) {
  std::vector<sock_filter> code = make_frame_filter(selection);
  sock_fprog program{};
  program.len = static_cast<unsigned short>(code.size());
  program.filter = code.data();
  if (::setsockopt(socket, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) != 0) {
    return platform::os_error(errno, "filtering a packet socket");
  }
  return set_option(socket, SOL_SOCKET, SO_LOCK_FILTER, 1, "locking the filter of a packet socket");
}

Result<void> set_options(int socket, const RingPlan& plan) noexcept {
  struct Option {
    int level;
    int name;
    int value;
    const char* context;
  };
  constexpr int ignore_outgoing = 23;  // PACKET_IGNORE_OUTGOING, Linux 4.20
  const std::array options{
      Option{SOL_PACKET, PACKET_VERSION, TPACKET_V2, "choosing the layout of a ring"},
      Option{SOL_PACKET, PACKET_RESERVE, static_cast<int>(PacketRing::headroom_bytes), "reserving headroom in a ring"},
      // Else what this end sends would arrive here, and an echo server would answer itself.
      Option{SOL_PACKET, ignore_outgoing, 1, "keeping our own frames out of a ring (needs Linux 4.20)"},
      // No queue of the kernel's in between: a frame leaves now or is refused.
      Option{SOL_PACKET, PACKET_QDISC_BYPASS, 1, "sending past the queueing discipline"},
  };
  for (const Option& option : options) {
    if (const Result<void> done = set_option(socket, option.level, option.name, option.value, option.context); !done) {
      return done.error();
    }
  }
  if (plan.priority) {
    return set_option(socket, SOL_SOCKET, SO_PRIORITY, *plan.priority,
                      "setting the priority of a packet socket (above 6 it needs CAP_NET_ADMIN)");
  }
  return {};
}

// Mapped is not touched yet. Where a hypervisor shadows the page tables, the program's first access to a page costs,
// and once more the kernel's (which copies replies out of the slots): the first lap of a ring took 10.9 us a round
// trip, 9.4 when the program had touched it, 5.1 when both had. Nothing is changed by it: all slots are the kernel's,
// which is a zero, and the socket is not bound yet.
void touch(int socket, std::span<std::byte> slots) noexcept {
  static_assert(TP_STATUS_KERNEL == 0 && TP_STATUS_AVAILABLE == 0);
  for (std::size_t at = 0; at < slots.size(); at += platform::page_bytes()) {
    socklen_t length = sizeof(int);
    ::getsockopt(socket, SOL_SOCKET, SO_TYPE, &slots[at], &length);  // for its writing there
  }
  std::memset(slots.data(), 0, slots.size());
}

std::uint16_t protocol_of(const FrameSelection& selection, TapPoint tap) noexcept {
  if (tap == TapPoint::before_protocols) {
    return ETH_P_ALL;
  }
  return selection.udp ? ether_type::ipv4 : ether_type::echo;
}

Result<void> bind(int socket, int interface_index, std::uint16_t protocol) noexcept {
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(protocol);
  address.sll_ifindex = interface_index;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return platform::os_error(errno, "binding a packet socket to the interface");
  }
  // Binding to an interface that went down meanwhile succeeds, and leaves the error with the socket.
  int pending = 0;
  socklen_t length = sizeof(pending);
  if (::getsockopt(socket, SOL_SOCKET, SO_ERROR, &pending, &length) != 0) {
    return platform::os_error(errno, "asking whether the interface is up");
  }
  if (pending != 0) {
    return Error{Status::failed, pending, "interface is down"};
  }
  return {};
}

}  // namespace

Result<PacketRing> PacketRing::open(const Interface& interface, const FrameSelection& selection, const RingPlan& plan) {
  if (const Result<void> done = check(interface, selection, plan); !done) {
    return done.error();
  }
  platform::Descriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    return platform::os_error(errno, "opening a packet socket (needs CAP_NET_RAW)");
  }
  Result<platform::MappedMemory> staging =
      platform::MappedMemory::map(ethernet_header_bytes + vlan_tag_bytes + interface.mtu);
  if (!staging) {
    return staging.error();
  }
  PacketRing ring(std::move(socket), std::move(staging).value());
  ring.mtu_ = interface.mtu;
  ring.way_ = plan.way;
  if (const Result<void> done = attach_filter(ring.descriptor(), selection); !done) {
    return done.error();
  }
  if (const Result<void> done = set_options(ring.descriptor(), plan); !done) {
    return done.error();
  }
  if (const Result<void> done = ring.map_rings(plan); !done) {
    return done.error();
  }
  if (const Result<void> done = bind(ring.descriptor(), interface.index, protocol_of(selection, plan.tap)); !done) {
    return done.error();
  }
  return ring;
}

Result<void> PacketRing::map_rings(const RingPlan& plan) noexcept {
  slot_bytes_ = slot_bytes_for(mtu_);
  const std::uint32_t block_bytes =
      std::max({block_bytes_usual, slot_bytes_, static_cast<std::uint32_t>(platform::page_bytes())});
  const std::uint32_t slots_per_block = block_bytes / slot_bytes_;
  const std::uint32_t blocks = (plan.frames + slots_per_block - 1) / slots_per_block;
  frames_ = blocks * slots_per_block;
  tpacket_req request{};
  request.tp_block_size = block_bytes;
  request.tp_block_nr = blocks;
  request.tp_frame_size = slot_bytes_;
  request.tp_frame_nr = frames_;
  if (::setsockopt(descriptor(), SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) != 0) {
    return platform::os_error(errno, "making a receive ring");
  }
  std::size_t bytes = std::size_t{block_bytes} * blocks;
  if (way_ == TransmitWay::ring) {
    if (::setsockopt(descriptor(), SOL_PACKET, PACKET_TX_RING, &request, sizeof(request)) != 0) {
      return platform::os_error(errno, "making a transmit ring");
    }
    bytes *= 2;  // one mapping of both, the receive ring first
  }
  void* const address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor(), 0);
  if (address == MAP_FAILED) {
    return platform::os_error(errno, "mapping a ring");
  }
  slots_ = {static_cast<std::byte*>(address), bytes};
  touch(descriptor(), slots_);
  return {};
}

PacketRing::PacketRing(PacketRing&& other) noexcept
    : socket_(std::move(other.socket_)),
      staging_(std::move(other.staging_)),
      slots_(std::exchange(other.slots_, {})),
      frames_(other.frames_),
      slot_bytes_(other.slot_bytes_),
      mtu_(other.mtu_),
      way_(other.way_) {}

PacketRing& PacketRing::operator=(PacketRing&& other) noexcept {
  if (this != &other) {
    unmap();
    socket_ = std::move(other.socket_);
    staging_ = std::move(other.staging_);
    slots_ = std::exchange(other.slots_, {});
    frames_ = other.frames_;
    slot_bytes_ = other.slot_bytes_;
    mtu_ = other.mtu_;
    way_ = other.way_;
  }
  return *this;
}

void PacketRing::unmap() noexcept {
  if (!slots_.empty()) {
    ::munmap(slots_.data(), slots_.size());
    slots_ = {};
  }
}

}  // namespace rtecho::drivers
