#include "drivers/capture_file.hpp"

#include <gtest/gtest.h>
#include <pcap/pcap.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <vector>

namespace rtecho::drivers {
namespace {

class CaptureFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("rtecho_capture_" + std::to_string(std::random_device{}()));
    std::filesystem::create_directories(folder_);
    EthernetHeader{.destination = MacAddress::broadcast(), .source = {}, .tag = VlanTag{5, 3}, .type = ether_type::echo}
        .emit(request_);
    request_[19] = std::byte{1};
    reply_ = request_;
    records_ = {TraceRecord{.stamp = Instant::from_ns(2'000'000'001),
                            .direction = TraceDirection::out,
                            .bytes = request_,
                            .frame_bytes = 1'518},
                TraceRecord{.stamp = Instant::from_ns(2'999'999'999),
                            .direction = TraceDirection::in,
                            .bytes = std::span(reply_).first(60),
                            .frame_bytes = 60}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  static constexpr Duration offset = Duration::from_s(1'700'000'000);
  std::filesystem::path folder_;
  std::array<std::byte, 64> request_{};
  std::array<std::byte, 64> reply_{};
  std::vector<TraceRecord> records_;
};

TEST_F(CaptureFile, IsReadBackByLibpcap) {
  ASSERT_TRUE(write_capture_file(path("a.pcap"), records_, offset));
  EXPECT_EQ(entries(), 1U);
  std::array<char, PCAP_ERRBUF_SIZE> said{};
  pcap_t* const file =
      pcap_open_offline_with_tstamp_precision(path("a.pcap").c_str(), PCAP_TSTAMP_PRECISION_NANO, said.data());
  ASSERT_NE(file, nullptr) << said.data();
  EXPECT_EQ(pcap_datalink(file), DLT_EN10MB);
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  ASSERT_EQ(pcap_next_ex(file, &header, &bytes), 1);
  EXPECT_EQ(header->ts.tv_sec, 1'700'000'002);
  EXPECT_EQ(header->ts.tv_usec, 1);
  EXPECT_EQ(header->caplen, 64U);
  EXPECT_EQ(header->len, 1'518U);
  EXPECT_EQ(std::memcmp(bytes, request_.data(), 64), 0);
  ASSERT_EQ(pcap_next_ex(file, &header, &bytes), 1);
  EXPECT_EQ(header->ts.tv_sec, 1'700'000'002);
  EXPECT_EQ(header->ts.tv_usec, 999'999'999);
  EXPECT_EQ(header->caplen, 60U);
  EXPECT_EQ(header->len, 60U);
  EXPECT_EQ(pcap_next_ex(file, &header, &bytes), PCAP_ERROR_BREAK);
  pcap_close(file);
}

TEST_F(CaptureFile, IsReadBackByTcpdump) {
  if (system("tcpdump --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "tcpdump is not installed";
  }
  ASSERT_TRUE(write_capture_file(path("a.pcap"), records_, offset));
  const std::string command = "tcpdump --nano -tt -e -n -r " + path("a.pcap") + " 2>/dev/null >" + path("text");
  ASSERT_EQ(system(command.c_str()), 0);
  std::ifstream text(path("text"));
  std::string line;
  ASSERT_TRUE(std::getline(text, line));
  EXPECT_EQ(line.find("1700000002.000000001 00:00:00:00:00:00 > ff:ff:ff:ff:ff:ff"), 0U) << line;
  EXPECT_NE(line.find("length 1518: vlan 5, p 3, ethertype Unknown (0x88b5)"), std::string::npos) << line;
}

TEST_F(CaptureFile, OfNoFramesIsAFile) {
  ASSERT_TRUE(write_capture_file(path("a.pcap"), {}, offset));
  EXPECT_EQ(std::filesystem::file_size(path("a.pcap")), 24U);
}

TEST_F(CaptureFile, ReplacesAnOlderOneThroughALink) {
  std::ofstream(path("target")) << "old";
  std::filesystem::create_symlink(path("target"), path("link"));
  ASSERT_TRUE(write_capture_file(path("link"), records_, offset));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(std::filesystem::file_size(path("target")), 24U + 16U + 64U + 16U + 60U);
  EXPECT_EQ(entries(), 2U);
}

TEST_F(CaptureFile, CannotBeMadeWhereThereIsNoFolder) {
  const Result<void> written = write_capture_file(path("no/such"), records_, offset);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().status, Status::not_found);
  EXPECT_EQ(written.error().os_code, ENOENT);
  EXPECT_FALSE(write_capture_file(folder_.string(), records_, offset));
  EXPECT_EQ(entries(), 0U);
}

TEST_F(CaptureFile, NoticesAFullDisk) {
  if (!std::filesystem::exists("/dev/full")) {
    GTEST_SKIP() << "this system has no /dev/full";
  }
  const Result<void> written = write_capture_file("/dev/full", records_, offset);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().os_code, ENOSPC);
}

// More than stdio's buffer, so that it is a pcap_dump that meets the end of the room.
TEST_F(CaptureFile, LeavesTheOldOneWhereTheNewOneDoesNotFit) {
  std::ofstream(path("a.pcap")) << "old";
  const std::vector<TraceRecord> many(2'000, records_[0]);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  const rlimit small{10'000, old_limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Result<void> written = write_capture_file(path("a.pcap"), many, offset);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().os_code, EFBIG);
  EXPECT_EQ(entries(), 1U);
  EXPECT_EQ(std::filesystem::file_size(path("a.pcap")), 3U);
}

TEST_F(CaptureFile, RefusesADateBefore1970) {
  const Result<void> written = write_capture_file(path("a.pcap"), records_, Duration::from_s(-3));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().status, Status::invalid);
  EXPECT_EQ(entries(), 0U);
}

}  // namespace
}  // namespace rtecho::drivers
