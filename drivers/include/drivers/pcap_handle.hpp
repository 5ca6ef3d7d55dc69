// A capture of one interface before the run: opened, filtered and tried out by ordinary code, through libpcap (and,
// from the same source, Npcap). PcapPort then takes it over. Only frames of the selection come out of it, and none that
// this machine sent.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "drivers/frame_selection.hpp"
#include "rt_core/result.hpp"

struct pcap;  // libpcap's own type: its header is for the sources that call it

namespace rtecho::drivers {

struct PcapPlan {
  std::string interface;
  FrameSelection selection;
  // Of one frame: header, VLAN tag and the interface's MTU. Longer ones arrive truncated.
  std::uint32_t snap_bytes = 0;
  // Where frames wait for a look; what does not fit is lost and counted.
  std::uint32_t buffer_bytes = 4 * 1024 * 1024;
};

// The selection as a filter expression (pcap-filter(7)).
[[nodiscard]] std::string filter_text(const FrameSelection& selection);

class PcapHandle {
 public:
  // `wording` gets what libpcap itself says about an error or, where the capture was opened all the same, its warning;
  // empty where it says nothing. Errors: `denied` (needs CAP_NET_RAW), `not_found`, `unsupported` (not Ethernet),
  // `failed` (the interface is down, and all else).
  static Result<PcapHandle> open(const PcapPlan& plan, std::string& wording);

  // "host, nanoseconds": who stamps the frames, and how finely. No measured time comes from these stamps.
  [[nodiscard]] const std::string& time_stamp_type_text() const noexcept { return time_stamp_type_text_; }
  // What the kernel filters by.
  [[nodiscard]] const std::string& filter() const noexcept { return filter_; }
  [[nodiscard]] std::uint32_t snap_bytes() const noexcept { return snap_bytes_; }
  // What libpcap said last about this capture.
  [[nodiscard]] std::string wording() const;
  [[nodiscard]] ::pcap* get() const noexcept { return pcap_.get(); }

 private:
  struct Closer {
    void operator()(::pcap* handle) const noexcept;
  };
  using Owner = std::unique_ptr<::pcap, Closer>;

  PcapHandle(Owner handle, const PcapPlan& plan, std::string time_stamp_type_text);
  [[nodiscard]] Result<void> narrow() noexcept;

  Owner pcap_;
  std::string filter_;
  std::string time_stamp_type_text_;
  std::uint32_t snap_bytes_;
};

}  // namespace rtecho::drivers
