// Echo messages as UDP datagrams that we put into Ethernet frames ourselves, past the kernel's stack: one IPv4 peer,
// one header that is prepared once, checksums in both directions. Over any frame driver.
//
// With an address of its own, which the kernel does not hold, the port also answers what a host must: ARP for that
// address, and ping.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "drivers/frame_checks.hpp"
#include "drivers/frame_selection.hpp"
#include "rt_core/arp.hpp"
#include "rt_core/ethernet.hpp"
#include "rt_core/frame_port.hpp"
#include "rt_core/icmp_echo.hpp"
#include "rt_core/internet_checksum.hpp"
#include "rt_core/ipv4.hpp"
#include "rt_core/limits.hpp"
#include "rt_core/message_port.hpp"
#include "rt_core/time.hpp"
#include "rt_core/udp_header.hpp"

namespace rtecho::drivers {

struct EthernetUdpPlan {
  MacAddress local_mac;
  MacAddress peer_mac;  // zero: that of the first datagram of the peer, which for a client is the server's probe
  UdpSelection session;
  std::optional<VlanTag> tag;
  std::uint8_t differentiated_services = 0;  // DSCP, 0 … 63
};

template <FramePort Frames>
class EthernetUdpPort {
 public:
  // `frames` must outlive the port. With a tag, replies need its headroom where the driver strips tags.
  EthernetUdpPort(Frames& frames, const EthernetUdpPlan& plan) noexcept
      : frames_(frames), plan_(plan), link_bytes_(ethernet_header_bytes + (plan.tag ? vlan_tag_bytes : 0)) {
    prepare_headers(0);
  }

  [[nodiscard]] Instant now() noexcept { return frames_.now(); }

  [[nodiscard]] std::size_t receive(std::span<Arrival> arrivals) noexcept {
    const std::size_t room = arrivals.size() < frame_arrivals_.size() ? arrivals.size() : frame_arrivals_.size();
    const std::size_t looked = frames_.receive(std::span(frame_arrivals_).first(room));
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < looked; ++i) {
      const FrameArrival& frame = frame_arrivals_[i];
      std::span<std::byte> message;
      const Sort sort = sort_of(frame, message);
      if (sort == Sort::message) {
        arrivals[count++] = Arrival{.bytes = message, .slot = i, .truncated = frame.truncated};
      } else if (sort == Sort::broken || !answer_as_host(frame)) {
        frames_.release(frame);
      }
    }
    return count;
  }

  SendOutcome reply(const Arrival& arrival) noexcept {
    const FrameArrival& frame = frame_arrivals_[arrival.slot];
    if (!fits_in_front(frame, arrival.bytes.data(), headers_bytes(), frames_.capabilities().headroom_bytes)) {
      frames_.release(frame);
      ++counters_.send_failed;
      return SendOutcome::failed;
    }
    return frames_.reply(frame, with_headers(arrival.bytes.data() - headers_bytes(), arrival.bytes.size()));
  }

  void release(const Arrival& arrival) noexcept { frames_.release(frame_arrivals_[arrival.slot]); }

  [[nodiscard]] std::span<std::byte> acquire(std::size_t bytes) noexcept {
    if (bytes > capabilities().message_bytes_max) {
      return {};
    }
    const std::span<std::byte> frame = frames_.acquire(headers_bytes() + bytes);
    return frame.size() < headers_bytes() + bytes ? std::span<std::byte>{} : frame.subspan(headers_bytes(), bytes);
  }

  SendOutcome send(std::span<std::byte> message) noexcept {
    return frames_.send(with_headers(message.data() - headers_bytes(), message.size()));
  }

  void wait(Instant until) noexcept { frames_.wait(until); }

  [[nodiscard]] PortCapabilities capabilities() const noexcept {
    const FrameCapabilities frames = frames_.capabilities();
    const std::size_t in_front = ethernet_header_bytes + ipv4_header_bytes + udp_header_bytes;
    const std::size_t most = frames.frame_bytes_max > in_front ? frames.frame_bytes_max - in_front : 0;
    return {.message_bytes_max = static_cast<std::uint32_t>(
                most < limits::message_bytes_max_udp_ipv4 ? most : limits::message_bytes_max_udp_ipv4),
            .receive_batch_max = frames.receive_batch_max,
            .reply_copies = frames.reply_copies};
  }
  [[nodiscard]] PortHealth health() const noexcept { return frames_.health(); }
  [[nodiscard]] PortCounters counters() const noexcept { return counters_ + frames_.counters(); }
  // Zero until it is known.
  [[nodiscard]] const MacAddress& peer_mac() const noexcept { return plan_.peer_mac; }

 private:
  static constexpr std::size_t headers_bytes_max =
      ethernet_header_bytes + vlan_tag_bytes + ipv4_header_bytes + udp_header_bytes;

  enum class Sort : std::uint8_t {
    message,
    broken,   // counted
    foreign,  // perhaps something that a host must answer
  };

  [[nodiscard]] std::size_t headers_bytes() const { return link_bytes_ + ipv4_header_bytes + udp_header_bytes; }

  // Everything in front of a message of this length but UDP's checksum.
  void prepare_headers(std::size_t message_bytes) noexcept {
    const auto datagram_bytes = static_cast<std::uint16_t>(udp_header_bytes + message_bytes);
    const Ipv4Endpoint& local = plan_.session.local;
    const Ipv4Endpoint& peer = plan_.session.peer;
    EthernetHeader{plan_.peer_mac, plan_.local_mac, plan_.tag, ether_type::ipv4}.emit(headers_);
    Ipv4Header{.payload_bytes = datagram_bytes,
               .differentiated_services = plan_.differentiated_services,
               .source = local.address,
               .destination = peer.address}
        .emit(std::span(headers_).subspan(link_bytes_));
    const std::span<std::byte> udp = std::span(headers_).subspan(link_bytes_ + ipv4_header_bytes);
    store_big_endian(udp, udp_offset::source_port, local.port);
    store_big_endian(udp, udp_offset::destination_port, peer.port);
    store_big_endian(udp, udp_offset::bytes, datagram_bytes);
    prepared_sum_ = udp_pseudo_header_sum(local.address, peer.address, datagram_bytes);
    prepared_sum_.add_word(local.port);
    prepared_sum_.add_word(peer.port);
    prepared_sum_.add_word(datagram_bytes);
    prepared_for_bytes_ = message_bytes;
  }

  // The frame that begins there: headers, then the message that is in its place already.
  [[nodiscard]] std::span<std::byte> with_headers(std::byte* begin, std::size_t message_bytes) noexcept {
    if (message_bytes != prepared_for_bytes_) {
      prepare_headers(message_bytes);  // once per series: its messages are of one size
    }
    std::memcpy(begin, headers_.data(), headers_bytes());
    const std::span<std::byte> frame(begin, headers_bytes() + message_bytes);
    InternetSum sum = prepared_sum_;
    sum.add(frame.subspan(headers_bytes()));
    store_big_endian(frame, link_bytes_ + ipv4_header_bytes + udp_offset::checksum,
                     UdpHeader::udp_checksum_field(sum.checksum()));
    return frame;
  }

  [[nodiscard]] Sort sort_of(const FrameArrival& arrival, std::span<std::byte>& message) noexcept {
    const std::optional<EthernetView> frame = EthernetView::of(arrival.bytes);
    if (!frame || frame->type() != ether_type::ipv4 || frame->destination() != plan_.local_mac ||
        !is_of_vlan(arrival, *frame, plan_.tag)) {
      return Sort::foreign;
    }
    Ipv4View packet;
    const Ipv4Fault fault = Ipv4View::check(frame->payload(), packet);
    if (fault != Ipv4Fault::none) {
      ++(fault == Ipv4Fault::checksum ? counters_.checksum_wrong : counters_.malformed_frames);
      return Sort::broken;
    }
    if (packet.protocol() != ip_protocol::udp || packet.source() != plan_.session.peer.address ||
        packet.destination() != plan_.session.local.address) {
      return Sort::foreign;
    }
    UdpView datagram;
    if (!UdpView::check(packet.payload(), datagram)) {
      ++counters_.malformed_frames;
      return Sort::broken;
    }
    if (datagram.source_port() != plan_.session.peer.port || datagram.destination_port() != plan_.session.local.port ||
        !may_be_peer(frame->source())) {
      return Sort::foreign;
    }
    if (!has_right_checksum(arrival.checksum, packet, datagram)) {
      ++counters_.checksum_wrong;
      return Sort::broken;
    }
    if (plan_.peer_mac.is_zero()) {
      plan_.peer_mac = frame->source();  // the first one tells it, once it is known to be whole
      prepare_headers(prepared_for_bytes_);
    }
    message = datagram.payload();
    return Sort::message;
  }

  [[nodiscard]] bool has_right_checksum(ChecksumState state, const Ipv4View& packet, const UdpView& datagram) noexcept {
    if (state == ChecksumState::verified) {
      return true;
    }
    if (state == ChecksumState::partial) {
      ++counters_.checksum_partial;
      return true;
    }
    switch (datagram.checksum(udp_pseudo_header_sum(packet.source(), packet.destination(), datagram.bytes()))) {
      case UdpChecksum::right:
      case UdpChecksum::absent:
        return true;
      case UdpChecksum::partial:
        ++counters_.checksum_partial;
        return true;
      case UdpChecksum::wrong:
        break;
    }
    return false;
  }

  // Nobody is answered at a group's address, at ours, or at none.
  [[nodiscard]] bool may_be_peer(const MacAddress& source) const noexcept {
    return plan_.peer_mac.is_zero() ? source.is_station() && source != plan_.local_mac : source == plan_.peer_mac;
  }

  // --- what a host must answer ----------------------------------------------------------------------------------

  // True where the frame was answered, and with that given back.
  [[gnu::noinline]] bool answer_as_host(const FrameArrival& arrival) noexcept {
    const std::optional<EthernetView> frame = EthernetView::of(arrival.bytes);
    const bool answerable = plan_.session.own_address && frame && !arrival.truncated &&
                            is_of_vlan(arrival, *frame, plan_.tag) && frame->source().is_station() &&
                            frame->source() != plan_.local_mac;
    if (answerable && frame->type() == ether_type::arp) {
      return answer_arp(arrival, *frame);
    }
    if (answerable && frame->type() == ether_type::ipv4 && frame->destination() == plan_.local_mac) {
      return answer_ping(arrival, *frame);
    }
    ++counters_.foreign_frames;
    return false;
  }

  // Not of "this network" (0/8), nor of the host itself (127/8), nor of a group or beyond (RFC 1122, 3.2.1.3): what
  // comes from there has nobody who could be answered.
  [[nodiscard]] static constexpr bool is_address_of_a_host(std::uint32_t address) noexcept {
    const std::uint32_t first = address >> 24U;
    return first != 0 && first != 127 && first < 224;
  }

  bool answer_arp(const FrameArrival& arrival, const EthernetView& frame) noexcept {
    ArpPacket packet;
    const bool is_for_us = frame.destination() == plan_.local_mac || frame.destination() == MacAddress::broadcast();
    // Who asks in the name of our own address, or of a group, gets nothing.
    if (!is_for_us || !ArpPacket::parse(frame.payload(), packet) || packet.operation != ArpOperation::request ||
        packet.target_address != plan_.session.local.address || packet.sender_address == packet.target_address ||
        !(packet.sender_address == 0 || is_address_of_a_host(packet.sender_address)) ||
        !packet.sender_mac.is_station() || packet.sender_mac == plan_.local_mac) {
      ++counters_.foreign_frames;
      return false;
    }
    const MacAddress asked_from = frame.source();
    packet.answered_by(plan_.local_mac).emit(frame.payload());
    return answer(arrival, frame, asked_from, ether_type::arp);
  }

  bool answer_ping(const FrameArrival& arrival, const EthernetView& frame) noexcept {
    Ipv4View packet;
    IcmpEchoView ping;
    if (Ipv4View::check(frame.payload(), packet) != Ipv4Fault::none || packet.protocol() != ip_protocol::icmp ||
        packet.destination() != plan_.session.local.address || packet.source() == packet.destination() ||
        !is_address_of_a_host(packet.source()) || !IcmpEchoView::check_request(packet.payload(), ping)) {
      ++counters_.foreign_frames;
      return false;
    }
    const MacAddress asked_from = frame.source();
    const auto payload_bytes = static_cast<std::uint16_t>(packet.payload().size());
    ping.turn_into_reply();
    Ipv4Header{.payload_bytes = payload_bytes,
               .protocol = ip_protocol::icmp,
               .source = packet.destination(),
               .destination = packet.source()}
        .emit(frame.payload());
    return answer(arrival, frame, asked_from, ether_type::ipv4);
  }

  bool answer(const FrameArrival& arrival, const EthernetView& frame, const MacAddress& to,
              std::uint16_t type) noexcept {
    const std::span<std::byte> payload = frame.payload();
    if (!fits_in_front(arrival, payload.data(), link_bytes_, frames_.capabilities().headroom_bytes)) {
      ++counters_.send_failed;
      return false;
    }
    const std::span<std::byte> whole(payload.data() - link_bytes_, link_bytes_ + payload.size());
    EthernetHeader{to, plan_.local_mac, plan_.tag, type}.emit(whole);
    counters_.requests_answered += frames_.reply(arrival, whole) == SendOutcome::sent ? 1U : 0U;
    return true;
  }

  Frames& frames_;
  EthernetUdpPlan plan_;
  std::size_t link_bytes_;
  std::array<std::byte, headers_bytes_max> headers_{};
  InternetSum prepared_sum_;
  std::size_t prepared_for_bytes_ = 0;
  std::array<FrameArrival, limits::receive_batch> frame_arrivals_{};
  PortCounters counters_;
};

}  // namespace rtecho::drivers
