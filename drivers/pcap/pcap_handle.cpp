#include "drivers/pcap_handle.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <span>
#include <utility>

#include "pcap_system.hpp"
#include "rt_core/assert.hpp"

namespace rtecho::drivers {

namespace {

std::string mac_text(const MacAddress& address) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::byte b : address.bytes()) {
    const auto value = std::to_integer<unsigned>(b);
    text += text.empty() ? "" : ":";
    text += digits[value >> 4U];
    text += digits[value & 0xFU];
  }
  return text;
}

std::string ipv4_text(std::uint32_t address) {
  std::string text;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    text += text.empty() ? "" : ".";
    text += std::to_string((address >> shift) & 0xFFU);
  }
  return text;
}

// "more fragments" and the offset: a fragment is no message.
constexpr const char* not_a_fragment = "ip[6:2] & 0x3fff = 0";

std::string udp_text(const UdpSelection& udp, const std::string& to_us) {
  const std::string to_our_address = " and dst host " + ipv4_text(udp.local.address);
  std::string datagrams = to_us + " and udp and src host " + ipv4_text(udp.peer.address) + " and src port " +
                          std::to_string(udp.peer.port) + to_our_address + " and dst port " +
                          std::to_string(udp.local.port) + " and " + not_a_fragment;
  if (!udp.own_address) {
    return datagrams;
  }
  // ARP that asks for our address or answers to it, and who says that it is his: the answers to a probe for it carry it
  // as the sender's only (RFC 5227, 2.1.1).
  const std::string pings = to_us + " and icmp[icmptype] = icmp-echo" + to_our_address + " and " + not_a_fragment;
  const std::string arp = "(" + to_us + " or ether broadcast) and arp host " + ipv4_text(udp.local.address);
  return "((" + datagrams + ") or (" + pings + ") or (" + arp + "))";
}

// The two that stamp with the host's clock, the first of them Npcap's. A NIC's own clock is of no use to us.
std::optional<int> time_stamp_type(pcap_t* handle) noexcept {
  constexpr int preferred[] = {PCAP_TSTAMP_HOST_HIPREC_UNSYNCED, PCAP_TSTAMP_HOST};
  int* listed = nullptr;
  const int count = pcap_list_tstamp_types(handle, &listed);
  if (count <= 0) {
    return std::nullopt;
  }
  const std::span<const int> types(listed, static_cast<std::size_t>(count));
  std::optional<int> chosen;
  for (const int type : preferred) {
    if (!chosen && std::find(types.begin(), types.end(), type) != types.end()) {
      chosen = type;
    }
  }
  pcap_free_tstamp_types(listed);
  return chosen;
}

Error activation_error(int code) noexcept {
  switch (code) {
    case PCAP_ERROR_PERM_DENIED:
    case PCAP_ERROR_PROMISC_PERM_DENIED:
      return {Status::denied, EPERM, "opening a capture, which needs CAP_NET_RAW"};
    case PCAP_ERROR_NO_SUCH_DEVICE:
      return {Status::not_found, ENODEV, "opening a capture: no such interface"};
    case PCAP_ERROR_IFACE_NOT_UP:
      return {Status::failed, ENETDOWN, "opening a capture: the interface is down"};
    default:
      return {Status::failed, 0, "opening a capture"};
  }
}

}  // namespace

// `vlan` lets all that follows it look 4 bytes further, also behind a "not": so "not vlan" comes last, and "vlan"
// before all that looks behind the addresses.
std::string filter_text(const FrameSelection& selection) {
  const std::string to_us = "ether dst " + mac_text(selection.local);
  const std::string ours = selection.udp ? udp_text(*selection.udp, to_us) : to_us + " and ether proto 0x88b5";
  return selection.vlan_id ? "vlan " + std::to_string(*selection.vlan_id) + " and " + ours : ours + " and not vlan";
}

void PcapHandle::Closer::operator()(::pcap* handle) const noexcept {
  pcap_close(handle);
}

PcapHandle::PcapHandle(Owner handle, const PcapPlan& plan, std::string time_stamp_type_text)
    : pcap_(std::move(handle)),
      filter_(filter_text(plan.selection)),
      time_stamp_type_text_(std::move(time_stamp_type_text)),
      snap_bytes_(plan.snap_bytes) {}

Result<PcapHandle> PcapHandle::open(const PcapPlan& plan, std::string& wording) {
  RTECHO_ASSERT(plan.snap_bytes >= ethernet_header_bytes + vlan_tag_bytes);
  wording.clear();
  char said[PCAP_ERRBUF_SIZE] = {};
  Owner pcap(pcap_create(plan.interface.c_str(), said));
  if (!pcap) {
    wording = said;
    return Error{Status::failed, 0, "preparing a capture"};
  }
  // These can fail on an activated capture only (their manual pages).
  pcap_set_snaplen(pcap.get(), static_cast<int>(plan.snap_bytes));
  pcap_set_promisc(pcap.get(), 0);
  pcap_set_timeout(pcap.get(), 1);  // 0 may wait for ever; in immediate mode it is of no account
  pcap_set_buffer_size(pcap.get(), static_cast<int>(plan.buffer_bytes));
  deliver_at_once(pcap.get());
  const bool has_nanoseconds = pcap_set_tstamp_precision(pcap.get(), PCAP_TSTAMP_PRECISION_NANO) == 0;
  const std::optional<int> type = time_stamp_type(pcap.get());
  const bool has_type = type && pcap_set_tstamp_type(pcap.get(), *type) == 0;
  std::string stamps = has_type ? pcap_tstamp_type_val_to_name(*type) : "the library's default";
  stamps += has_nanoseconds ? ", nanoseconds" : ", microseconds";

  const int activated = pcap_activate(pcap.get());
  if (activated != 0) {
    wording = pcap_geterr(pcap.get());
    wording = wording.empty() ? pcap_statustostr(activated) : wording;
  }
  if (activated < 0) {
    return activation_error(activated);
  }
  PcapHandle handle(std::move(pcap), plan, std::move(stamps));
  if (const Result<void> done = handle.narrow(); !done) {
    wording = handle.wording();
    return done.error();
  }
  return handle;
}

// To Ethernet, frames that come in, those of the selection, and looks that do not block.
Result<void> PcapHandle::narrow() noexcept {
  if (pcap_datalink(get()) != DLT_EN10MB) {
    return Error{Status::unsupported, 0, "capturing on an interface that is not Ethernet"};
  }
  if (pcap_setdirection(get(), PCAP_D_IN) != 0) {
    return Error{Status::failed, 0, "keeping our own frames out of a capture"};
  }
  send_directly(get());
  char said[PCAP_ERRBUF_SIZE] = {};  // the same words as pcap_geterr
  if (pcap_setnonblock(get(), 1, said) != 0) {
    return Error{Status::failed, 0, "making a capture non-blocking"};
  }
  bpf_program program{};
  constexpr int optimise = 1;
  if (pcap_compile(get(), &program, filter_.c_str(), optimise, PCAP_NETMASK_UNKNOWN) != 0) {
    return Error{Status::failed, 0, "compiling the filter of a capture"};
  }
  const int is_set = pcap_setfilter(get(), &program);
  pcap_freecode(&program);
  if (is_set != 0) {
    return Error{Status::failed, 0, "setting the filter of a capture"};
  }
  return {};
}

std::string PcapHandle::wording() const {
  return pcap_geterr(get());
}

}  // namespace rtecho::drivers
