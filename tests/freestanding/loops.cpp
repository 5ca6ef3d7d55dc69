// Both loops, every member of them, over a port that is only declared.
#include "extern_port.hpp"
#include "rt_core/echo_client.hpp"
#include "rt_core/echo_server.hpp"
#include "rt_core/stream_cut.hpp"

template class rtecho::EchoClient<rtecho::freestanding::ExternPort>;
template class rtecho::EchoServer<rtecho::freestanding::ExternPort>;

namespace rtecho::freestanding {

// What a stream driver of a system without a library would call.
std::span<std::byte> cut_stream(StreamCut& cut, std::size_t bytes);
std::span<std::byte> cut_stream(StreamCut& cut, std::size_t bytes) {
  const std::span<std::byte> room = cut.writable();
  cut.commit(bytes < room.size() ? bytes : room.size());
  return cut.next();
}

}  // namespace rtecho::freestanding
