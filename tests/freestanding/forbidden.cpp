// What the symbol test must refuse: a heap call, and a 128-bit division, which is a library function that no line of
// the source names.
#include <cstddef>

extern "C" void* malloc(std::size_t bytes);

namespace rtecho::freestanding {

__extension__ using Wide = unsigned __int128;

void* take_memory(std::size_t bytes);
void* take_memory(std::size_t bytes) {
  return malloc(bytes);
}

Wide divide(Wide dividend, Wide divisor);
Wide divide(Wide dividend, Wide divisor) {
  return dividend / divisor;
}

}  // namespace rtecho::freestanding
