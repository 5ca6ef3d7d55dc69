// Memory that a run takes before it starts: mapped, page aligned, zero, and touched, so that its first use in the
// loop is no page fault. Whether it can be paged out again is the business of MemoryLock (bootstrap.hpp).
#pragma once

#include <cstddef>
#include <span>

#include "rt_core/result.hpp"

namespace rtecho::platform {

class MappedMemory {
 public:
  // Takes whole pages; `bytes()` shows as many as were asked for, at least one. `exhausted` when the system has
  // no memory left or the memlock limit of a locked process is reached.
  static Result<MappedMemory> map(std::size_t byte_count) noexcept;

  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  ~MappedMemory();

  [[nodiscard]] std::span<std::byte> bytes() const noexcept { return bytes_; }

 private:
  explicit MappedMemory(std::span<std::byte> bytes) noexcept : bytes_(bytes) {}
  void unmap() noexcept;

  std::span<std::byte> bytes_;
};

// The system's page size in bytes.
[[nodiscard]] std::size_t page_bytes() noexcept;
// The bytes of as many pages as hold `byte_count`.
[[nodiscard]] std::size_t whole_pages(std::size_t byte_count) noexcept;

}  // namespace rtecho::platform
