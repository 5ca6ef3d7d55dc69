// Any bytes as frames, at both protocols that are made of frames, at a server and at a client. The first byte chooses
// who looks and in which VLAN, the second what the driver says of the frame, the third what is made to fit: without
// that, no mutation would get past the addresses and the checksums.
//
//   - what is not for us is not answered, and an answer is no longer than what it answers
//   - an answer comes from our addresses and goes to where it was asked from; its checksums are right; another server
//     that is looked at with it has nothing to answer
//   - each frame is a message, or answered in the place of a host, or counted by its cause, and given back once
//   - nothing beyond the frame and its headroom is touched: memory is on the heap and exactly as long
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "drivers/ethernet_raw_port.hpp"
#include "drivers/ethernet_udp_port.hpp"
#include "fuzz_input.hpp"
#include "rt_core/echo_server.hpp"

namespace {

using namespace rtecho;
using drivers::EthernetRawPlan;
using drivers::EthernetRawPort;
using drivers::EthernetUdpPlan;
using drivers::EthernetUdpPort;
using fuzz::require;
using Frame = std::vector<std::byte>;

constexpr MacAddress near_mac{{std::byte{2}, {}, {}, {}, {}, std::byte{2}}};
constexpr MacAddress far_mac{{std::byte{2}, {}, {}, {}, {}, std::byte{1}}};
constexpr drivers::Ipv4Endpoint near_end{0x0A00'0002, 7'008};
constexpr drivers::Ipv4Endpoint far_end{0x0A00'0001, 4'000};
constexpr VlanTag vlan{100, 5};
constexpr std::uint16_t vlan_control = 0xA064;
constexpr std::uint32_t frame_bytes_max = 1'514;

// Brings one frame, and keeps what is sent.
class OneFramePort {
 public:
  OneFramePort(const Frame& frame, std::size_t headroom, std::uint8_t how)
      : memory_(headroom + frame.size()), headroom_(headroom), how_(how) {
    std::copy(frame.begin(), frame.end(), memory_.begin() + static_cast<std::ptrdiff_t>(headroom));
  }

  [[nodiscard]] Instant now() noexcept { return Instant::from_ns(++now_ns_); }
  [[nodiscard]] std::size_t receive(std::span<FrameArrival> arrivals) noexcept {
    if (taken_ || arrivals.empty()) {
      return 0;
    }
    taken_ = true;
    arrivals[0] = FrameArrival{.bytes = std::span(memory_).subspan(headroom_),
                               .slot = 7,
                               .truncated = (how_ & 1U) != 0,
                               .tag_was_stripped = (how_ & 2U) != 0,
                               .stripped_tag = (how_ & 4U) != 0 ? vlan_control : std::uint16_t{0},
                               .checksum = (how_ & 8U) != 0 ? ChecksumState::partial : ChecksumState::unknown};
    return 1;
  }
  SendOutcome reply(const FrameArrival& arrival, std::span<std::byte> frame) noexcept {
    require(arrival.slot == 7 && frame.data() >= memory_.data() &&
            frame.data() + frame.size() <= memory_.data() + memory_.size());
    ++returned_;
    answer.emplace(frame.begin(), frame.end());
    return SendOutcome::sent;
  }
  void release(const FrameArrival& arrival) noexcept {
    require(arrival.slot == 7);
    ++returned_;
  }
  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
    room_ = Frame(bytes);
    return room_;
  }
  SendOutcome send(std::span<std::byte> frame) noexcept {
    sent.emplace(frame.begin(), frame.end());
    return SendOutcome::sent;
  }
  void wait(Instant) noexcept {}
  [[nodiscard]] FrameCapabilities capabilities() const noexcept {
    return {.frame_bytes_max = frame_bytes_max,
            .receive_batch_max = 1,
            .headroom_bytes = static_cast<std::uint32_t>(headroom_)};
  }
  [[nodiscard]] PortHealth health() const noexcept { return PortHealth::open; }
  [[nodiscard]] PortCounters counters() const noexcept { return {}; }
  [[nodiscard]] int returned() const { return returned_; }

  std::optional<Frame> answer;
  std::optional<Frame> sent;

 private:
  Frame memory_;
  std::size_t headroom_;
  std::uint8_t how_;
  Frame room_;
  std::int64_t now_ns_ = 1'000'000'000;
  int returned_ = 0;
  bool taken_ = false;
};

EthernetUdpPlan udp_plan(bool tagged, bool own_address, bool knows_peer) {
  return {near_mac,
          knows_peer ? far_mac : MacAddress{},
          {near_end, far_end, own_address},
          tagged ? std::optional(vlan) : std::nullopt,
          0};
}
EthernetRawPlan raw_plan(bool tagged, bool knows_peer) {
  return {near_mac, knows_peer ? far_mac : MacAddress{}, tagged ? std::optional(vlan) : std::nullopt};
}

std::uint64_t dropped_by(const PortCounters& counters) {
  return counters.foreign_frames + counters.malformed_frames + counters.checksum_wrong + counters.send_failed;
}

std::uint16_t ones_sum(std::span<const std::byte> bytes, std::uint64_t sum) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += std::to_integer<std::uint64_t>(bytes[i]) << (i % 2 == 0 ? 8U : 0U);
  }
  while (sum > 0xFFFF) {
    sum = (sum & 0xFFFFU) + (sum >> 16U);
  }
  return static_cast<std::uint16_t>(sum);
}

// Written out instead of taken from the headers under test.
void require_right_checksums(std::span<const std::byte> packet) {
  const std::size_t total = load_big_endian<std::uint16_t>(packet, 2);
  require(packet[0] == std::byte{0x45} && total >= 20 && total <= packet.size());
  require(ones_sum(packet.first(20), 0) == 0xFFFF);
  const auto payload = packet.subspan(20, total - 20);
  if (packet[9] == std::byte{17}) {
    require(payload.size() >= 8 && load_big_endian<std::uint16_t>(payload, 4) == payload.size());
    require(load_big_endian<std::uint16_t>(payload, 6) != 0);
    require(ones_sum(payload, ones_sum(packet.subspan(12, 8), 17 + payload.size())) == 0xFFFF);
  } else {
    require(packet[9] == std::byte{1} && payload.size() >= 8 && ones_sum(payload, 0) == 0xFFFF);
    require(load_big_endian<std::uint16_t>(payload, 0) == 0);
  }
}

// Our station, or everybody's where that is how it is asked; and our VLAN, wherever its tag is.
void require_for_us(const Frame& request, std::uint8_t how, bool tagged, bool is_arp) {
  const MacAddress destination = load_mac(request, 0);
  require(destination == near_mac || (is_arp && destination == MacAddress::broadcast()));
  const bool is_in_frame = load_big_endian<std::uint16_t>(request, 12) == ether_type::vlan;
  const bool is_stripped = (how & 2U) != 0;
  require(!(is_in_frame && is_stripped));
  std::uint32_t control = is_in_frame ? load_big_endian<std::uint16_t>(request, 14) : 0U;
  control = is_stripped && (how & 4U) != 0 ? vlan_control : control;
  require((control & 0x0FFFU) == (tagged ? vlan.id : 0));
}

void require_right_answer(const Frame& request, const Frame& answer, std::uint8_t how, bool tagged) {
  require(answer.size() <= request.size() + ((how & 2U) != 0 ? vlan_tag_bytes : 0));
  require(load_mac(answer, 6) == near_mac && load_mac(answer, 0) == load_mac(request, 6));
  require(load_mac(answer, 0).is_station() && load_mac(answer, 0) != near_mac);
  const std::size_t header = tagged ? 18 : 14;
  if (tagged) {
    require(load_big_endian<std::uint32_t>(answer, 12) == (0x8100'0000U | vlan_control));
  }
  const auto type = load_big_endian<std::uint16_t>(answer, header - 2);
  require(type == ether_type::echo || type == ether_type::ipv4 || type == ether_type::arp);
  require_for_us(request, how, tagged, type == ether_type::arp);
  if (type == ether_type::ipv4) {
    require_right_checksums(std::span(answer).subspan(header));
  } else if (type == ether_type::arp) {
    require(load_big_endian<std::uint16_t>(answer, header + 6) == 2 && load_mac(answer, header + 8) == near_mac);
  }
}

// A server of this size, and then the same frame at a client.
template <template <typename> class Protocol, typename Plan>
void look(const Plan& plan, const Frame& frame, std::uint8_t how, std::uint32_t message_bytes) {
  const std::size_t headroom = (how & 16U) != 0 ? 4 : 0;
  const MessageShape shape{message_bytes, 0};
  {
    OneFramePort frames(frame, headroom, how);
    Protocol<OneFramePort> port(frames, plan);
    ServerPlan server_plan;
    server_plan.shape = shape;
    EchoServer<Protocol<OneFramePort>> server(port, server_plan);
    server.step();
    const PortCounters counters = port.counters();
    const ServerAccounting& accounting = server.accounting();
    require(frames.returned() == 1 && accounting.holds() && !frames.sent);
    require(accounting.frames + counters.requests_answered + dropped_by(counters) - accounting.reply_refused == 1);
    require(frames.answer.has_value() == (accounting.replies + counters.requests_answered == 1));
    require((how & 1U) == 0 || !frames.answer);
    if (frames.answer) {
      require_right_answer(frame, *frames.answer, how, plan.tag.has_value());
      // The answer of a server is nothing that a server answers, also where it is sent back as it is.
      Frame back = *frames.answer;
      store_mac(back, 0, near_mac);
      store_mac(back, 6, far_mac);
      OneFramePort again(back, headroom, 0);
      Protocol<OneFramePort> other(again, plan);
      EchoServer<Protocol<OneFramePort>> other_server(other, server_plan);
      other_server.step();
      require(!again.answer && again.returned() == 1);
    }
  }
  OneFramePort frames(frame, headroom, how);
  Protocol<OneFramePort> port(frames, plan);
  std::array<Arrival, 16> arrivals;
  const std::size_t count = port.receive(arrivals);
  for (std::size_t i = 0; i < count; ++i) {
    require(arrivals[i].bytes.data() + arrivals[i].bytes.size() <= arrivals[i].bytes.data() + frame.size());
    (void)std::count(arrivals[i].bytes.begin(), arrivals[i].bytes.end(), std::byte{0});  // each byte can be read
    port.release(arrivals[i]);
  }
  require(frames.returned() == 1);
  require(count + port.counters().requests_answered + dropped_by(port.counters()) == 1);
}

// --- what is made to fit --------------------------------------------------------------------------------------------

void put(Frame& frame, std::size_t at, std::uint32_t word) {
  if (at + 2 <= frame.size()) {
    store_big_endian(std::span(frame), at, static_cast<std::uint16_t>(word));
  }
}

// As if it came from the peer: addresses, tag and type of the link, and where asked the packet and the datagram.
void make_fit(Frame& frame, std::uint8_t fit, bool tag_in_frame) {
  const std::size_t header = tag_in_frame ? 18 : 14;
  if ((fit & 1U) != 0 && frame.size() >= header) {
    store_mac(frame, 0, near_mac);
    store_mac(frame, 6, far_mac);
    if (tag_in_frame) {
      put(frame, 12, ether_type::vlan);
      put(frame, 14, vlan_control);
    }
    constexpr std::array<std::uint16_t, 4> types{ether_type::echo, ether_type::ipv4, ether_type::ipv4, ether_type::arp};
    put(frame, header - 2, types[(fit >> 1U) & 3U]);
  }
  const bool is_udp = ((fit >> 1U) & 3U) == 1;
  const std::size_t ip = header;
  if ((fit & 8U) != 0 && ((fit >> 1U) & 3U) == 3 && frame.size() >= ip + 28) {
    put(frame, ip, 1);
    put(frame, ip + 2, ether_type::ipv4);
    put(frame, ip + 4, 0x0604);
    put(frame, ip + 24, near_end.address >> 16U);
    put(frame, ip + 26, near_end.address & 0xFFFFU);
  }
  if ((fit & 16U) == 0 || ((fit >> 1U) & 3U) == 0 || ((fit >> 1U) & 3U) == 3 || frame.size() < ip + 28) {
    return;
  }
  frame[ip] = std::byte{0x45};
  put(frame, ip + 2, static_cast<std::uint32_t>(frame.size() - ip));
  put(frame, ip + 6, 0x4000);
  frame[ip + 9] = is_udp ? std::byte{17} : std::byte{1};
  store_big_endian(std::span(frame), ip + 12, far_end.address);
  store_big_endian(std::span(frame), ip + 16, near_end.address);
  put(frame, ip + 10, 0);
  put(frame, ip + 10, 0xFFFFU - ones_sum(std::span(frame).subspan(ip, 20), 0));
  const std::span<std::byte> payload = std::span(frame).subspan(ip + 20);
  if ((fit & 32U) == 0) {
    return;
  }
  if (is_udp) {
    put(frame, ip + 20, far_end.port);
    put(frame, ip + 22, near_end.port);
    put(frame, ip + 24, static_cast<std::uint32_t>(payload.size()));
    put(frame, ip + 26, 0);
    const std::uint64_t pseudo = ones_sum(std::span(frame).subspan(ip + 12, 8), 17 + payload.size());
    put(frame, ip + 26, 0xFFFFU - ones_sum(payload, pseudo));
  } else {
    put(frame, ip + 20, 0x0800);
    put(frame, ip + 22, 0);
    put(frame, ip + 22, 0xFFFFU - ones_sum(payload, 0));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::array<std::uint32_t, 4> sizes{1, 15, 16, 64};
  fuzz::FuzzInput input(data, size);
  const std::uint8_t who = input.byte();
  const std::uint8_t how = input.byte();
  const std::uint8_t fit = input.byte();
  const std::span<const std::uint8_t> rest = input.rest();
  Frame frame(rest.size());
  std::transform(rest.begin(), rest.end(), frame.begin(), [](std::uint8_t byte) { return std::byte{byte}; });
  const bool tagged = (who & 1U) != 0;
  make_fit(frame, fit, tagged && (how & 2U) == 0);
  const std::uint32_t message_bytes = sizes[(who >> 1U) & 3U];
  if ((who & 8U) != 0) {
    look<EthernetRawPort>(raw_plan(tagged, (who & 16U) != 0), frame, how, message_bytes);
  } else {
    look<EthernetUdpPort>(udp_plan(tagged, (who & 32U) != 0, (who & 16U) != 0), frame, how, message_bytes);
  }
  return 0;
}
