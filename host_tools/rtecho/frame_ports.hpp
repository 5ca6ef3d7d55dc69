// The ports of the frame drivers. One file per driver compiles the loops over it (ring_ports.cpp, pcap_ports.cpp).
#pragma once

#include <memory>
#include <optional>

#include "data_port.hpp"
#include "drivers/address_resolution.hpp"
#include "drivers/ethernet_raw_port.hpp"
#include "drivers/ethernet_udp_port.hpp"
#include "drivers/frame_selection.hpp"
#include "drivers/interface.hpp"
#include "drivers/shadow_socket.hpp"
#include "link_options.hpp"
#include "rt_core/message.hpp"
#include "rt_core/result.hpp"

namespace rtecho::pair {

// What a frame driver is opened for.
struct FrameRequest {
  const drivers::Interface& interface;
  const LinkOptions& options;
  MessageShape shape;  // of the series: a capture tells its messages by it
};

// One per driver: three functions, so that the callers need not know the port's type.
struct FrameDriver {
  Result<std::unique_ptr<DataPort>> (*open_ethernet)(const FrameRequest& request, const drivers::EthernetRawPlan& plan);
  // `shadow`: keeps the kernel quiet where it holds the address, too; lives as long as the port.
  Result<std::unique_ptr<DataPort>> (*open_udp)(const FrameRequest& request, const drivers::EthernetUdpPlan& plan,
                                                std::optional<drivers::ShadowSocket> shadow);
  // Who has an IPv4 address; absent: nobody answered.
  Result<std::optional<MacAddress>> (*ask_for_station)(const FrameRequest& request,
                                                       const drivers::AddressQuestion& question);
};

extern const FrameDriver ring_driver;
extern const FrameDriver pcap_driver;

}  // namespace rtecho::pair
