// The bytes of an Ethernet frame from the destination address on, without the check sequence (IEEE 802.3, 3.1): two
// addresses, at most one VLAN tag (IEEE 802.1Q, 9.6), the EtherType, the payload. A view is checked once; a header is
// emitted from a small value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "rt_core/assert.hpp"
#include "rt_core/bytes.hpp"

namespace rtecho {

inline constexpr std::size_t ethernet_header_bytes = 14;
inline constexpr std::size_t vlan_tag_bytes = 4;
inline constexpr std::size_t ethernet_frame_bytes_min = 60;  // shorter ones are padded; without the check sequence

namespace ether_type {
inline constexpr std::uint16_t ipv4 = 0x0800;
inline constexpr std::uint16_t arp = 0x0806;
inline constexpr std::uint16_t vlan = 0x8100;          // IEEE 802.1Q, the customer's tag
inline constexpr std::uint16_t service_vlan = 0x88A8;  // IEEE 802.1ad, the provider's tag
inline constexpr std::uint16_t echo = 0x88B5;          // IEEE 802 "local experimental 1": rtecho's raw frames
}  // namespace ether_type

class MacAddress {
 public:
  static constexpr std::size_t bytes_count = 6;
  using Bytes = std::array<std::byte, bytes_count>;

  // 00:00:00:00:00:00, which is nobody's.
  constexpr MacAddress() = default;
  explicit constexpr MacAddress(const Bytes& bytes) : bytes_(bytes) {}
  static constexpr MacAddress broadcast() {
    constexpr std::byte all{0xFF};
    return MacAddress(Bytes{all, all, all, all, all, all});
  }

  [[nodiscard]] constexpr const Bytes& bytes() const { return bytes_; }
  // To a group or to everybody.
  [[nodiscard]] constexpr bool is_multicast() const { return (bytes_[0] & std::byte{1}) != std::byte{0}; }
  [[nodiscard]] constexpr bool is_zero() const { return *this == MacAddress{}; }
  // An address that one interface may have.
  [[nodiscard]] constexpr bool is_station() const { return !is_multicast() && !is_zero(); }

  friend constexpr bool operator==(const MacAddress&, const MacAddress&) = default;

 private:
  Bytes bytes_{};
};

// The address at this offset. Bounds are the caller's.
[[nodiscard]] inline MacAddress load_mac(std::span<const std::byte> bytes, std::size_t offset) {
  RTECHO_ASSERT(offset <= bytes.size() && MacAddress::bytes_count <= bytes.size() - offset);
  MacAddress::Bytes address{};
  std::memcpy(address.data(), bytes.data() + offset, address.size());
  return MacAddress(address);
}
inline void store_mac(std::span<std::byte> bytes, std::size_t offset, const MacAddress& address) {
  RTECHO_ASSERT(offset <= bytes.size() && MacAddress::bytes_count <= bytes.size() - offset);
  std::memcpy(bytes.data() + offset, address.bytes().data(), MacAddress::bytes_count);
}

struct VlanTag {
  static constexpr std::uint16_t id_max = 4094;  // 4095 is reserved, 0 means "priority only"
  static constexpr std::uint8_t priority_max = 7;

  std::uint16_t id = 0;
  std::uint8_t priority = 0;  // PCP

  // The tag's 16 bits of control information. The drop-eligible bit is never set by us and never looked at.
  [[nodiscard]] static constexpr VlanTag from_control(std::uint16_t control) {
    return VlanTag{static_cast<std::uint16_t>(control & 0x0FFFU), static_cast<std::uint8_t>(control >> 13U)};
  }
  [[nodiscard]] constexpr std::uint16_t control() const {
    return static_cast<std::uint16_t>((std::uint32_t{priority} << 13U) | id);
  }
  friend constexpr bool operator==(const VlanTag&, const VlanTag&) = default;
};

namespace ethernet_offset {
inline constexpr std::size_t destination = 0;
inline constexpr std::size_t source = 6;
inline constexpr std::size_t type = 12;
inline constexpr std::size_t vlan_control = 14;
inline constexpr std::size_t type_behind_tag = 16;
}  // namespace ethernet_offset

// A frame that holds a whole header. A second tag is not looked through: its EtherType is then the tag's.
class EthernetView {
 public:
  // Absent for a frame that ends before its header does.
  [[nodiscard]] static std::optional<EthernetView> of(std::span<std::byte> frame) {
    if (frame.size() < ethernet_header_bytes) {
      return std::nullopt;
    }
    const auto type = load_big_endian<std::uint16_t>(frame, ethernet_offset::type);
    if (type != ether_type::vlan) {
      return EthernetView(frame, type, std::nullopt, ethernet_header_bytes);
    }
    if (frame.size() < ethernet_header_bytes + vlan_tag_bytes) {
      return std::nullopt;
    }
    const auto control = load_big_endian<std::uint16_t>(frame, ethernet_offset::vlan_control);
    const auto inner = load_big_endian<std::uint16_t>(frame, ethernet_offset::type_behind_tag);
    return EthernetView(frame, inner, VlanTag::from_control(control), ethernet_header_bytes + vlan_tag_bytes);
  }

  [[nodiscard]] MacAddress destination() const { return load_mac(frame_, ethernet_offset::destination); }
  [[nodiscard]] MacAddress source() const { return load_mac(frame_, ethernet_offset::source); }
  [[nodiscard]] std::uint16_t type() const { return type_; }
  // The tag that stands in the frame. One that the NIC or the kernel took out is in FrameArrival.
  [[nodiscard]] const std::optional<VlanTag>& tag() const { return tag_; }
  // Padding included.
  [[nodiscard]] std::span<std::byte> payload() const { return frame_.subspan(header_bytes_); }
  [[nodiscard]] std::size_t header_bytes() const { return header_bytes_; }

 private:
  EthernetView(std::span<std::byte> frame, std::uint16_t type, std::optional<VlanTag> tag, std::size_t header_bytes)
      : frame_(frame), type_(type), tag_(tag), header_bytes_(header_bytes) {}

  std::span<std::byte> frame_;
  std::uint16_t type_;
  std::optional<VlanTag> tag_;
  std::size_t header_bytes_;
};

struct EthernetHeader {
  MacAddress destination;
  MacAddress source;
  std::optional<VlanTag> tag;
  std::uint16_t type = 0;

  [[nodiscard]] constexpr std::size_t bytes() const {
    return ethernet_header_bytes + (tag ? vlan_tag_bytes : std::size_t{0});
  }
  // Writes bytes() bytes.
  void emit(std::span<std::byte> frame) const {
    store_mac(frame, ethernet_offset::destination, destination);
    store_mac(frame, ethernet_offset::source, source);
    std::size_t type_at = ethernet_offset::type;
    if (tag) {
      store_big_endian(frame, ethernet_offset::type, ether_type::vlan);
      store_big_endian(frame, ethernet_offset::vlan_control, tag->control());
      type_at = ethernet_offset::type_behind_tag;
    }
    store_big_endian(frame, type_at, type);
  }
};

}  // namespace rtecho
