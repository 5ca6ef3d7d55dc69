// The portable drivers, and loops over some of them.
#include "drivers/ethernet_raw_port.hpp"
#include "drivers/ethernet_udp_port.hpp"
#include "drivers/fault_port.hpp"
#include "drivers/frames_over.hpp"
#include "drivers/loopback_port.hpp"
#include "drivers/trace_port.hpp"
#include "extern_port.hpp"
#include "rt_core/echo_client.hpp"
#include "rt_core/echo_server.hpp"

template class rtecho::drivers::FaultPort<rtecho::freestanding::ExternPort>;
template class rtecho::drivers::LoopbackLink<rtecho::freestanding::ExternClock, 64>;
template class rtecho::drivers::TracePort<rtecho::freestanding::ExternFramePort>;
template class rtecho::EchoClient<rtecho::drivers::FaultPort<rtecho::freestanding::ExternPort>>;

template class rtecho::drivers::FramesOver<rtecho::freestanding::ExternPort>;
template class rtecho::drivers::EthernetRawPort<rtecho::freestanding::ExternFramePort>;
template class rtecho::drivers::EthernetUdpPort<rtecho::freestanding::ExternFramePort>;
template class rtecho::EchoServer<rtecho::drivers::EthernetRawPort<rtecho::freestanding::ExternFramePort>>;
template class rtecho::EchoServer<rtecho::drivers::EthernetUdpPort<rtecho::freestanding::ExternFramePort>>;
