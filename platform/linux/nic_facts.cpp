#include "platform/nic_facts.hpp"

#include <arpa/inet.h>
#include <dirent.h>
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "file_text.hpp"
#include "platform/descriptor.hpp"
#include "platform/os_error.hpp"

namespace rtecho::platform {

namespace {

// An interface of the calling thread's namespace, asked by ioctl. netdevice(7).
class Interface {
 public:
  Interface(const Descriptor& socket, const std::string& name) noexcept : socket_(socket) {
    std::memcpy(request_.ifr_name, name.c_str(), name.size() + 1);
  }

  // False where the interface or its driver does not answer; the answer is then in errno.
  [[nodiscard]] bool ask(unsigned long question) noexcept { return ioctl(socket_.number(), question, &request_) == 0; }
  // `command` begins with the ethtool command number, as all ethtool structures do.
  [[nodiscard]] bool ask_ethtool(void* command) noexcept {
    request_.ifr_data = static_cast<char*>(command);
    return ask(SIOCETHTOOL);
  }
  [[nodiscard]] const ifreq& answer() const noexcept { return request_; }

 private:
  const Descriptor& socket_;
  ifreq request_{};
};

std::optional<bool> read_switch(Interface& interface, std::uint32_t command, std::uint32_t mask) noexcept {
  ethtool_value value{.cmd = command, .data = 0};
  if (!interface.ask_ethtool(&value)) {
    return std::nullopt;
  }
  return (value.data & mask) != 0;
}

NicOffloads read_offloads(Interface& interface) noexcept {
  constexpr std::uint32_t any = ~0U;
  return {.tcp_segmentation = read_switch(interface, ETHTOOL_GTSO, any),
          .generic_segmentation = read_switch(interface, ETHTOOL_GGSO, any),
          .generic_receive = read_switch(interface, ETHTOOL_GGRO, any),
          .large_receive = read_switch(interface, ETHTOOL_GFLAGS, ETH_FLAG_LRO),
          .rx_checksum = read_switch(interface, ETHTOOL_GRXCSUM, any),
          .tx_checksum = read_switch(interface, ETHTOOL_GTXCSUM, any)};
}

std::optional<NicCoalescing> read_coalescing(Interface& interface) noexcept {
  ethtool_coalesce coalesce{};
  coalesce.cmd = ETHTOOL_GCOALESCE;
  if (!interface.ask_ethtool(&coalesce)) {
    return std::nullopt;
  }
  return NicCoalescing{.rx_usecs = coalesce.rx_coalesce_usecs,
                       .rx_frames = coalesce.rx_max_coalesced_frames,
                       .adaptive_rx = coalesce.use_adaptive_rx_coalesce != 0};
}

std::optional<std::uint32_t> read_speed_mbps(Interface& interface) noexcept {
  // The structure ends in three link mode masks whose length the kernel tells, negated, in a first answer
  // (linux/ethtool.h, ethtool_link_settings).
  constexpr std::size_t masks_bytes_max = sizeof(std::uint32_t) * 3 * 127;
  alignas(ethtool_link_settings) std::array<std::byte, sizeof(ethtool_link_settings) + masks_bytes_max> memory{};
  ethtool_link_settings settings{};
  settings.cmd = ETHTOOL_GLINKSETTINGS;
  std::memcpy(memory.data(), &settings, sizeof settings);
  if (!interface.ask_ethtool(memory.data())) {
    return std::nullopt;
  }
  std::memcpy(&settings, memory.data(), sizeof settings);
  settings.cmd = ETHTOOL_GLINKSETTINGS;
  settings.link_mode_masks_nwords = static_cast<std::int8_t>(-settings.link_mode_masks_nwords);
  std::memcpy(memory.data(), &settings, sizeof settings);
  if (settings.link_mode_masks_nwords <= 0 || !interface.ask_ethtool(memory.data())) {
    return std::nullopt;
  }
  std::memcpy(&settings, memory.data(), sizeof settings);
  const bool is_known = settings.speed != 0 && settings.speed != static_cast<std::uint32_t>(SPEED_UNKNOWN);
  return is_known ? std::optional(settings.speed) : std::nullopt;
}

std::string mac_text(const sockaddr& address) {
  std::array<unsigned char, 6> bytes{};
  std::memcpy(bytes.data(), address.sa_data, bytes.size());
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) {
    text += text.empty() ? "" : ":";
    text += digits[byte >> 4U];
    text += digits[byte & 0xFU];
  }
  return text;
}

std::vector<int> list_interrupts(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(opendir(folder.c_str()), &closedir);
  std::vector<int> numbers;
  if (entries != nullptr) {
    for (const dirent* entry = readdir(entries.get()); entry != nullptr; entry = readdir(entries.get())) {
      const auto number = leading_number<int>(entry->d_name);
      if (number) {
        numbers.push_back(*number);
      }
    }
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

// By the device's address on its bus: unlike /sys/class/net that folder does not depend on the namespace, and
// unlike the names in /proc/interrupts it does not depend on the driver.
std::optional<std::string> read_irq_cpus(const std::string& pci_address) {
  std::string text;
  for (const int number : list_interrupts("/sys/bus/pci/devices/" + pci_address + "/msi_irqs")) {
    const std::string folder = "/proc/irq/" + std::to_string(number);
    auto cpus = read_file_text(folder + "/effective_affinity_list");
    cpus = cpus ? cpus : read_file_text(folder + "/smp_affinity_list");
    if (cpus) {
      text += (text.empty() ? "" : ", ") + std::to_string(number) + " on " + *cpus;
    }
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

// The address bytes of an IPv4 or IPv6 socket address; empty for other families.
std::span<const std::byte> address_bytes(const sockaddr* address) noexcept {
  const auto* const bytes = reinterpret_cast<const std::byte*>(address);
  if (address != nullptr && address->sa_family == AF_INET) {
    return {bytes + offsetof(sockaddr_in, sin_addr), sizeof(in_addr)};
  }
  if (address != nullptr && address->sa_family == AF_INET6) {
    return {bytes + offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr)};
  }
  return {};
}

}  // namespace

Result<NicFacts> read_nic_facts(const std::string& name) {
  if (name.empty() || name.size() >= IFNAMSIZ) {
    return Error{Status::invalid, 0, "name of the interface"};
  }
  const Descriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) {
    return os_error(errno, "open a socket to ask for the interface");
  }
  Interface interface(socket, name);
  NicFacts facts;
  facts.name = name;
  if (!interface.ask(SIOCGIFMTU)) {
    return os_error(errno, "ask for the interface");
  }
  facts.mtu = interface.answer().ifr_mtu;
  if (!interface.ask(SIOCGIFHWADDR)) {
    return os_error(errno, "ask for the address of the interface");
  }
  facts.mac = mac_text(interface.answer().ifr_hwaddr);

  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  if (interface.ask_ethtool(&driver)) {
    facts.driver = std::string(driver.driver, strnlen(driver.driver, sizeof driver.driver));
    const std::string bus_address(driver.bus_info, strnlen(driver.bus_info, sizeof driver.bus_info));
    facts.irq_cpus = bus_address.empty() ? std::nullopt : read_irq_cpus(bus_address);
  }
  facts.speed_mbps = read_speed_mbps(interface);
  facts.coalescing = read_coalescing(interface);
  facts.offloads = read_offloads(interface);
  return facts;
}

std::optional<std::string> interface_towards(const std::string& local_address) {
  std::array<std::byte, sizeof(in6_addr)> parsed{};
  std::span<const std::byte> wanted(parsed);
  if (inet_pton(AF_INET, local_address.c_str(), parsed.data()) == 1) {
    wanted = wanted.first(sizeof(in_addr));
  } else if (inet_pton(AF_INET6, local_address.substr(0, local_address.find('%')).c_str(), parsed.data()) != 1) {
    return std::nullopt;
  }
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) {
    return std::nullopt;
  }
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(first, &freeifaddrs);
  for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (std::ranges::equal(address_bytes(entry->ifa_addr), wanted)) {
      return entry->ifa_name;
    }
  }
  return std::nullopt;
}

}  // namespace rtecho::platform
