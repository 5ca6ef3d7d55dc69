#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "drivers/capture_file.hpp"
#include "drivers/capture_interfaces.hpp"
#include "drivers/mac_text.hpp"
#include "drivers/pcap_port.hpp"
#include "frame_stack.hpp"
#include "libpcap.hpp"
#include "platform/clock.hpp"
#include "platform/memory.hpp"
#include "report/program_failure.hpp"
#include "sentences.hpp"
#include "version.hpp"

namespace rtecho::pair {

static nlohmann::json facts_of(const OpenedFrames<drivers::PcapPort>& opened) {
  return {{"time_stamp_type", opened.frames.handle().time_stamp_type_text()}};
}

}  // namespace rtecho::pair

namespace rtecho::pair::libpcap {

namespace {

using drivers::PcapHandle;
using drivers::PcapPort;

Result<OpenedFrames<PcapPort>> open_capture(const FrameRequest& request, const drivers::FrameSelection& selection) {
  drivers::PcapPlan plan;
  plan.interface = request.interface.name;
  plan.selection = selection;
  plan.snap_bytes =
      static_cast<std::uint32_t>(ethernet_header_bytes + vlan_tag_bytes + std::size_t{request.interface.mtu});
  std::string wording;
  auto handle = PcapHandle::open(plan, wording);
  if (!handle) {
    if (!wording.empty() && handle.error().os_code == 0) {  // else the system's code says it in one line
      fmt::print(stderr, "{}: libpcap: {}\n", program_name(), wording);
    }
    return handle.error();
  }
  auto memory = platform::MappedMemory::map(PcapPort::memory_bytes(plan.snap_bytes));
  if (!memory) {
    return memory.error();
  }
  const std::span<std::byte> bytes = memory.value().bytes();
  return OpenedFrames<PcapPort>{std::move(memory).value(), PcapPort(std::move(handle).value(), bytes)};
}

std::string flags_of(const drivers::CaptureInterface& interface) {
  std::string flags = interface.is_up ? "up" : "down";
  if (interface.is_running) {
    flags += ", running";
  }
  if (interface.is_wireless) {
    flags += ", wireless";
  }
  if (interface.is_loopback) {
    flags += ", loopback";
  }
  return flags;
}

}  // namespace

bool is_present() {
  return true;
}

const FrameDriver& frame_driver() {
  static constexpr FrameDriver driver = frame_driver_of<&open_capture>();
  return driver;
}

std::optional<std::string> write_capture(const std::string& path, std::span<const drivers::TraceRecord> records) {
  const auto written = drivers::write_capture_file(path, records, platform::wall_clock_offset());
  if (written) {
    return std::nullopt;
  }
  return fmt::format("--capture {}: {}", path, sentence_of(written.error()));
}

std::string interface_list() {
  std::string wording;
  const auto interfaces = drivers::list_capture_interfaces(wording);
  if (!interfaces) {
    throw report::ProgramFailure(
        report::ExitCode::machine_refused,
        fmt::format("--list-interfaces: {}", wording.empty() ? sentence_of(interfaces.error()) : wording));
  }
  std::string text;
  for (const drivers::CaptureInterface& interface : interfaces.value()) {
    if (!interface.mac) {
      continue;  // pseudo devices of the capture library, which carry no Ethernet frames
    }
    text += fmt::format("{:<15}  {:<17}  {:<13}  {}{}{}\n", interface.name, drivers::mac_text(*interface.mac),
                        flags_of(interface), fmt::join(interface.addresses, " "),
                        interface.description.empty() ? "" : "  ", interface.description);
  }
  return text;
}

}  // namespace rtecho::pair::libpcap
