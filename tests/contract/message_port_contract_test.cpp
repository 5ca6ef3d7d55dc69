#include "message_port_contract.hpp"

#include "frame_driver_rigs.hpp"
#include "port_rigs.hpp"

namespace rtecho::drivers::test {
namespace {

using Rigs = testing::Types<LoopbackRig, FaultRig, RawFramesRig, TaggedRawFramesRig, UdpFramesRig, TaggedUdpFramesRig,
                            UdpIpv4Rig, UdpIpv6Rig, TcpRig, RawOverRingRig, TaggedRawOverRingRig, UdpOverRingRig,
                            TaggedUdpOverRingRig, RawOverTransmitRingRig>;
INSTANTIATE_TYPED_TEST_SUITE_P(Of, MessagePortContract, Rigs);

}  // namespace
}  // namespace rtecho::drivers::test
