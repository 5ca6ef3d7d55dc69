// malloc and its family, wrapped for the whole program by symbol interposition: glibc calls these where it would
// have called its own ("Replacing malloc" in the glibc manual). libstdc++'s operator new and delete go through them.
// They hand on to glibc's allocator under its second names. calloc, realloc and the rest never end up in our
// malloc, so no call is counted twice.
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string_view>

#include "allocation_count.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier): glibc's names.
extern "C" {
void* __libc_malloc(std::size_t byte_count) noexcept;
void* __libc_calloc(std::size_t count, std::size_t byte_count) noexcept;
void* __libc_realloc(void* memory, std::size_t byte_count) noexcept;
void* __libc_memalign(std::size_t alignment, std::size_t byte_count) noexcept;
void __libc_free(void* memory) noexcept;
}
// NOLINTEND(bugprone-reserved-identifier)

namespace {

void note_heap_call() noexcept {
  [[maybe_unused]] const bool armed = rtecho::platform::allocation_guard::count_heap_call();
#if defined(RTECHO_ABORT_ON_ALLOCATION)
  if (armed) {
    // No function that could itself allocate; the core dump has the place.
    constexpr std::string_view message = "rtecho: heap call on a thread with the allocation guard armed\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message.data(), message.size());
    std::abort();
  }
#endif
}

[[maybe_unused]] const bool announced = [] {
  rtecho::platform::allocation_guard::announce_wrapped_calls();
  return true;
}();

}  // namespace

extern "C" {

void* malloc(std::size_t byte_count) noexcept {
  note_heap_call();
  return __libc_malloc(byte_count);
}

void* calloc(std::size_t count, std::size_t byte_count) noexcept {
  note_heap_call();
  return __libc_calloc(count, byte_count);
}

void* realloc(void* memory, std::size_t byte_count) noexcept {
  note_heap_call();
  return __libc_realloc(memory, byte_count);
}

void* memalign(std::size_t alignment, std::size_t byte_count) noexcept {
  note_heap_call();
  return __libc_memalign(alignment, byte_count);
}

void* aligned_alloc(std::size_t alignment, std::size_t byte_count) noexcept {
  note_heap_call();
  return __libc_memalign(alignment, byte_count);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t byte_count) noexcept {
  note_heap_call();
  // posix_memalign(3): a power of two and a multiple of sizeof(void*); the error is returned.
  if (alignment == 0 || (alignment & (alignment - 1)) != 0 || alignment % sizeof(void*) != 0) {
    return EINVAL;
  }
  void* const taken = __libc_memalign(alignment, byte_count);
  if (taken == nullptr) {
    return ENOMEM;
  }
  *memory = taken;
  return 0;
}

void free(void* memory) noexcept {
  if (memory != nullptr) {
    note_heap_call();
  }
  __libc_free(memory);
}

}  // extern "C"
