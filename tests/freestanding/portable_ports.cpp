// The portable drivers, and a loop over one of them.
#include "drivers/fault_port.hpp"
#include "drivers/loopback_port.hpp"
#include "drivers/trace_port.hpp"
#include "extern_port.hpp"
#include "rt_core/echo_client.hpp"

template class rtecho::drivers::FaultPort<rtecho::freestanding::ExternPort>;
template class rtecho::drivers::LoopbackLink<rtecho::freestanding::ExternClock, 64>;
template class rtecho::drivers::TracePort<rtecho::freestanding::ExternFramePort>;
template class rtecho::EchoClient<rtecho::drivers::FaultPort<rtecho::freestanding::ExternPort>>;
