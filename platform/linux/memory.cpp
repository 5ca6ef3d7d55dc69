#include "platform/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "platform/os_error.hpp"

namespace rtecho::platform {

std::size_t page_bytes() noexcept {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

std::size_t whole_pages(std::size_t byte_count) noexcept {
  const std::size_t page = page_bytes();
  return (byte_count + page - 1) / page * page;
}

Result<MappedMemory> MappedMemory::map(std::size_t byte_count) noexcept {
  if (byte_count == 0 || byte_count > std::numeric_limits<std::size_t>::max() - page_bytes()) {
    return Error{Status::invalid, 0, "map memory: byte count"};
  }
  const std::size_t mapped = whole_pages(byte_count);
  void* const start = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (start == MAP_FAILED) {
    return os_error(errno, "map memory");
  }
  // MAP_POPULATE does not say whether it populated (mmap(2)); a write to each page leaves no doubt.
  std::memset(start, 0, mapped);
  return MappedMemory({static_cast<std::byte*>(start), byte_count});
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  if (this != &other) {
    unmap();
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

MappedMemory::~MappedMemory() {
  unmap();
}

void MappedMemory::unmap() noexcept {
  if (!bytes_.empty()) {
    // Fails only for arguments that mmap() did not give out.
    munmap(bytes_.data(), whole_pages(bytes_.size()));
    bytes_ = {};
  }
}

}  // namespace rtecho::platform
