#include "frame_filter.hpp"

#include <cstddef>
#include <cstdint>

#include "rt_core/assert.hpp"
#include "rt_core/bytes.hpp"
#include "rt_core/ethernet.hpp"

namespace rtecho::drivers {

namespace {

// Offsets into an untagged frame.
constexpr std::uint32_t ip_at = 14;  // RFC 791, 3.1
constexpr std::uint32_t ip_fragment_at = ip_at + 6;
constexpr std::uint32_t ip_protocol_at = ip_at + 9;
constexpr std::uint32_t ip_source_at = ip_at + 12;
constexpr std::uint32_t ip_destination_at = ip_at + 16;
constexpr std::uint32_t arp_at = 14;  // RFC 826
constexpr std::uint32_t arp_sizes_at = arp_at + 4;
constexpr std::uint32_t arp_operation_at = arp_at + 6;
constexpr std::uint32_t arp_sender_at = arp_at + 14;
constexpr std::uint32_t arp_target_at = arp_at + 24;

constexpr std::uint32_t protocol_icmp = 1;
constexpr std::uint32_t protocol_udp = 17;
constexpr std::uint32_t icmp_echo_request = 0x0800;           // type and code
constexpr std::uint32_t arp_ethernet_and_ipv4 = 0x0001'0800;  // hardware and protocol
constexpr std::uint32_t arp_sizes = 0x0604;
constexpr std::uint32_t fragment_bits = 0x3FFF;  // "more follow" and the offset: both are 0 in a whole datagram

// Ancillary data (linux/filter.h): what the kernel knows beside the frame's bytes.
constexpr auto beside(int what) {
  return static_cast<std::uint32_t>(SKF_AD_OFF + what);
}

// Instructions that read forward: each test goes on with the next one, or refuses, or jumps to a place that is bound
// later. A load beyond the end of the frame refuses it (the kernel ends the program with 0).
class Program {
 public:
  void load_byte(std::uint32_t offset) { add(BPF_LD | BPF_B | BPF_ABS, offset); }
  void load_half(std::uint32_t offset) { add(BPF_LD | BPF_H | BPF_ABS, offset); }
  void load_word(std::uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  // Behind an IPv4 header of the length that it claims.
  void load_ip_header_length() { add(BPF_LDX | BPF_B | BPF_MSH, ip_at); }
  void load_half_behind_ip(std::uint32_t offset) { add(BPF_LD | BPF_H | BPF_IND, ip_at + offset); }
  void keep_bits(std::uint32_t mask) { add(BPF_ALU | BPF_AND | BPF_K, mask); }

  void require_equal(std::uint32_t value) { refuse_when_false(BPF_JEQ, value); }
  void require_at_least(std::uint32_t value) { refuse_when_false(BPF_JGE, value); }
  void refuse_at_least(std::uint32_t value) { refuse_when_true(BPF_JGE, value); }
  void refuse_bits(std::uint32_t mask) { refuse_when_true(BPF_JSET, mask); }

  // Goes on where bind() is called later with what this returns.
  [[nodiscard]] std::size_t jump_when_equal(std::uint32_t value) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value);
    return code_.size() - 1;
  }
  void bind(std::size_t jump) { code_[jump].jt = distance(jump, code_.size()); }
  void accept() { add(BPF_RET | BPF_K, 0xFFFF'FFFFU); }

  [[nodiscard]] std::vector<sock_filter> finish() && {
    const std::size_t refusal = code_.size();
    add(BPF_RET | BPF_K, 0);
    for (const std::size_t jump : refused_when_true_) {
      code_[jump].jt = distance(jump, refusal);
    }
    for (const std::size_t jump : refused_when_false_) {
      code_[jump].jf = distance(jump, refusal);
    }
    return std::move(code_);
  }

 private:
  void add(unsigned code, std::uint32_t value) {
    code_.push_back({.code = static_cast<std::uint16_t>(code), .jt = 0, .jf = 0, .k = value});
  }
  void refuse_when_false(unsigned comparison, std::uint32_t value) {
    refused_when_false_.push_back(code_.size());
    add(BPF_JMP | comparison | BPF_K, value);
  }
  void refuse_when_true(unsigned comparison, std::uint32_t value) {
    refused_when_true_.push_back(code_.size());
    add(BPF_JMP | comparison | BPF_K, value);
  }
  static std::uint8_t distance(std::size_t from, std::size_t to) {
    RTECHO_ASSERT(to > from && to - from - 1 <= 0xFF);
    return static_cast<std::uint8_t>(to - from - 1);
  }

  std::vector<sock_filter> code_;
  std::vector<std::size_t> refused_when_true_;
  std::vector<std::size_t> refused_when_false_;
};

void require_vlan(Program& program, const std::optional<std::uint16_t>& id) {
  program.load_byte(beside(SKF_AD_VLAN_TAG_PRESENT));
  program.require_equal(id ? 1 : 0);
  if (id) {
    program.load_half(beside(SKF_AD_VLAN_TPID));
    program.require_equal(ether_type::vlan);
    program.load_half(beside(SKF_AD_VLAN_TAG));
    program.keep_bits(0x0FFF);
    program.require_equal(*id);
  }
}

void require_destination(Program& program, const MacAddress& mac) {
  program.load_word(ethernet_offset::destination);
  program.require_equal(load_big_endian<std::uint32_t>(mac.bytes(), 0));
  program.load_half(ethernet_offset::destination + 4);
  program.require_equal(load_big_endian<std::uint16_t>(mac.bytes(), 4));
}

// Requests for our address and replies to it, and whoever says that it is his: the answers to a probe for it carry it
// as the sender's only (RFC 5227, 2.1.1). To everybody or to us.
void accept_arp(Program& program, const MacAddress& mac, std::uint32_t address) {
  program.load_word(arp_at);
  program.require_equal(arp_ethernet_and_ipv4);
  program.load_half(arp_sizes_at);
  program.require_equal(arp_sizes);
  program.load_half(arp_operation_at);
  program.require_at_least(1);
  program.refuse_at_least(3);
  program.load_word(arp_target_at);
  const std::size_t for_us = program.jump_when_equal(address);
  program.load_word(arp_sender_at);
  program.require_equal(address);
  program.bind(for_us);
  program.load_word(ethernet_offset::destination);
  const std::size_t perhaps_everybody = program.jump_when_equal(0xFFFF'FFFFU);
  require_destination(program, mac);
  program.accept();
  program.bind(perhaps_everybody);
  program.load_half(ethernet_offset::destination + 4);
  program.require_equal(0xFFFF);
  program.accept();
}

// Whole IPv4 datagrams to our address, with a header of at least 20 bytes.
void require_ipv4(Program& program, std::uint32_t address) {
  program.load_byte(ip_at);
  program.require_at_least(0x45);
  program.refuse_at_least(0x50);
  program.load_half(ip_fragment_at);
  program.refuse_bits(fragment_bits);
  program.load_word(ip_destination_at);
  program.require_equal(address);
}

void accept_udp(Program& program, const UdpSelection& udp) {
  program.load_word(ip_source_at);
  program.require_equal(udp.peer.address);
  program.load_ip_header_length();
  program.load_half_behind_ip(0);
  program.require_equal(udp.peer.port);
  program.load_half_behind_ip(2);
  program.require_equal(udp.local.port);
  program.accept();
}

void accept_ping(Program& program) {
  program.load_ip_header_length();
  program.load_half_behind_ip(0);
  program.require_equal(icmp_echo_request);
  program.accept();
}

}  // namespace

std::vector<sock_filter> make_frame_filter(const FrameSelection& selection) {
  Program program;
  require_vlan(program, selection.vlan_id);
  program.load_half(ethernet_offset::type);
  if (!selection.udp) {
    program.require_equal(ether_type::echo);
    require_destination(program, selection.local);
    program.accept();
    return std::move(program).finish();
  }
  const UdpSelection& udp = *selection.udp;
  if (!udp.own_address) {
    program.require_equal(ether_type::ipv4);
    require_destination(program, selection.local);
    require_ipv4(program, udp.local.address);
    program.load_byte(ip_protocol_at);
    program.require_equal(protocol_udp);
    accept_udp(program, udp);
    return std::move(program).finish();
  }
  const std::size_t arp = program.jump_when_equal(ether_type::arp);
  program.require_equal(ether_type::ipv4);
  require_destination(program, selection.local);
  require_ipv4(program, udp.local.address);
  program.load_byte(ip_protocol_at);
  const std::size_t ping = program.jump_when_equal(protocol_icmp);
  program.require_equal(protocol_udp);
  accept_udp(program, udp);
  program.bind(ping);
  accept_ping(program);
  program.bind(arp);
  accept_arp(program, selection.local, udp.local.address);
  return std::move(program).finish();
}

}  // namespace rtecho::drivers
