#include "platform/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace rtecho::platform {
namespace {

TEST(MappedMemory, IsPageAlignedZeroAndAsLongAsAsked) {
  auto memory = MappedMemory::map(10'000);
  ASSERT_TRUE(memory);
  const auto bytes = memory.value().bytes();
  EXPECT_EQ(bytes.size(), 10'000U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(bytes.data()) % page_bytes(), 0U);
  EXPECT_TRUE(std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{0}; }));
}

TEST(MappedMemory, CausesNoFaultWhenItIsFirstUsed) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer's own shadow of the memory faults";
#endif
  constexpr std::size_t pages = 256;
  auto memory = MappedMemory::map(pages * page_bytes());
  ASSERT_TRUE(memory);
  const auto bytes = memory.value().bytes();
  rusage before{};
  rusage after{};
  getrusage(RUSAGE_THREAD, &before);
  for (std::size_t page = 0; page < pages; ++page) {
    bytes[page * page_bytes()] = std::byte{1};
  }
  getrusage(RUSAGE_THREAD, &after);
  EXPECT_LT(after.ru_minflt - before.ru_minflt, 8);  // untouched memory would give 256
}

TEST(MappedMemory, IsGivenBack) {
  std::byte* start = nullptr;
  {
    auto memory = MappedMemory::map(1);
    ASSERT_TRUE(memory);
    start = memory.value().bytes().data();
    unsigned char resident = 0;
    EXPECT_EQ(mincore(start, page_bytes(), &resident), 0);
  }
  unsigned char resident = 0;
  EXPECT_NE(mincore(start, page_bytes(), &resident), 0);
}

TEST(MappedMemory, MovesWithoutUnmapping) {
  auto made = MappedMemory::map(4096);
  ASSERT_TRUE(made);
  MappedMemory first = std::move(made).value();
  std::byte* const start = first.bytes().data();
  MappedMemory second = std::move(first);
  EXPECT_TRUE(
      first.bytes().empty());  // NOLINT(bugprone-use-after-move,clang-analyzer-cplusplus.Move): the claim itself
  ASSERT_EQ(second.bytes().data(), start);
  second.bytes()[4095] = std::byte{7};
}

TEST(WholePages, RoundUp) {
  if (page_bytes() != 4096) {
    GTEST_SKIP() << "written for pages of 4096 bytes";
  }
  EXPECT_EQ(whole_pages(0), 0U);
  EXPECT_EQ(whole_pages(1), 4096U);
  EXPECT_EQ(whole_pages(4096), 4096U);
  EXPECT_EQ(whole_pages(4097), 8192U);
}

TEST(MappedMemory, RefusesNothingAndMoreThanThereIs) {
  EXPECT_EQ(MappedMemory::map(0).error().status, Status::invalid);
  EXPECT_EQ(MappedMemory::map(std::numeric_limits<std::size_t>::max()).error().status, Status::invalid);
  EXPECT_EQ(MappedMemory::map(std::size_t{1} << 62).error().status, Status::exhausted);
}

}  // namespace
}  // namespace rtecho::platform
