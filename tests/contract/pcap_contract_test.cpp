// The contract over libpcap, which not every machine has.
#include "drivers/pcap_port.hpp"
#include "frame_driver_rigs.hpp"
#include "message_port_contract.hpp"

namespace rtecho::drivers::test {
namespace {

struct PcapDriver {
  using Frames = PcapPort;
  struct Opened {
    Opened(const Interface& interface, const FrameSelection& selection)
        : snap_bytes(static_cast<std::uint32_t>(ethernet_header_bytes + vlan_tag_bytes) + interface.mtu),
          memory(map_memory(PcapPort::memory_bytes(snap_bytes))),
          frames(
              PcapHandle::open({.interface = interface.name, .selection = selection, .snap_bytes = snap_bytes}, wording)
                  .value(),
              memory.bytes()) {}
    std::string wording;
    std::uint32_t snap_bytes;
    platform::MappedMemory memory;
    Frames frames;
  };
};

using Rigs =
    testing::Types<FrameDriverRig<PcapDriver, RawProtocol, no_tag>, FrameDriverRig<PcapDriver, RawProtocol, some_tag>,
                   FrameDriverRig<PcapDriver, UdpProtocol, no_tag>, FrameDriverRig<PcapDriver, UdpProtocol, some_tag>>;
INSTANTIATE_TYPED_TEST_SUITE_P(OverLibpcap, MessagePortContract, Rigs);

}  // namespace
}  // namespace rtecho::drivers::test
