#include "drivers/capture_interfaces.hpp"

#include <memory>
#include <utility>

#include "pcap_system.hpp"

namespace rtecho::drivers {

namespace {

struct ListFreer {
  void operator()(pcap_if_t* list) const noexcept { pcap_freealldevs(list); }
};

CaptureInterface interface_of(const pcap_if_t& device) {
  CaptureInterface result;
  result.name = device.name;
  result.description = device.description == nullptr ? "" : device.description;
  result.is_up = (device.flags & PCAP_IF_UP) != 0;
  result.is_running = (device.flags & PCAP_IF_RUNNING) != 0;
  result.is_wireless = (device.flags & PCAP_IF_WIRELESS) != 0;
  result.is_loopback = (device.flags & PCAP_IF_LOOPBACK) != 0;
  for (const pcap_addr* entry = device.addresses; entry != nullptr; entry = entry->next) {
    if (entry->addr == nullptr) {
      continue;
    }
    if (std::optional<std::string> text = ip_address_text(*entry->addr)) {
      result.addresses.push_back(std::move(*text));
    } else if (const std::optional<MacAddress> mac = mac_address(*entry->addr)) {
      result.mac = mac;
    }
  }
  return result;
}

}  // namespace

Result<std::vector<CaptureInterface>> list_capture_interfaces(std::string& wording) {
  wording.clear();
  char said[PCAP_ERRBUF_SIZE] = {};
  pcap_if_t* first = nullptr;
  if (pcap_findalldevs(&first, said) != 0) {
    wording = said;
    return Error{Status::failed, 0, "listing the interfaces that can be captured"};
  }
  const std::unique_ptr<pcap_if_t, ListFreer> list(first);
  std::vector<CaptureInterface> interfaces;
  for (const pcap_if_t* device = first; device != nullptr; device = device->next) {
    interfaces.push_back(interface_of(*device));
  }
  return interfaces;
}

}  // namespace rtecho::drivers
