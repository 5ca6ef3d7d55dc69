#include "drivers/capture_file.hpp"

#include <pcap/pcap.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <system_error>

#include "platform/os_error.hpp"
#include "platform/random.hpp"

namespace rtecho::drivers {

namespace {

constexpr int snap_bytes_stated = 262'144;  // tcpdump's: more than any frame has

struct HandleCloser {
  void operator()(pcap_t* handle) const noexcept { pcap_close(handle); }
};
struct DumperCloser {
  void operator()(pcap_dumper_t* dumper) const noexcept { pcap_dump_close(dumper); }
};

// Where the bytes go: a link is followed, because a rename over it would replace the link.
std::filesystem::path resolve(const std::string& path) {
  std::error_code ignored;  // what cannot be resolved is opened as it stands, and that open says why it fails
  const std::filesystem::path resolved = std::filesystem::canonical(path, ignored);
  return ignored ? std::filesystem::path(path) : resolved;
}

bool exists_and_is_special(const std::filesystem::path& path) {
  std::error_code ignored;  // what cannot be looked at does not exist for us
  const std::filesystem::file_status status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

pcap_pkthdr header_of(const TraceRecord& record, Duration wall_clock_offset) noexcept {
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  const std::int64_t ns = (record.stamp + wall_clock_offset).ns();
  pcap_pkthdr header{};
  header.ts.tv_sec = ns / ns_per_s;
  header.ts.tv_usec = ns % ns_per_s;  // nanoseconds, as the file's head says
  header.caplen = static_cast<bpf_u_int32>(record.bytes.size());
  header.len = record.frame_bytes;
  return header;
}

// libpcap's way to a file is C's stdio, whose names come with its header. Returns the system's code, 0 on success.
int write_records(const char* path, const char* mode, std::span<const TraceRecord> records,
                  Duration wall_clock_offset) {
  const std::unique_ptr<pcap_t, HandleCloser> handle(
      pcap_open_dead_with_tstamp_precision(DLT_EN10MB, snap_bytes_stated, PCAP_TSTAMP_PRECISION_NANO));
  if (!handle) {
    return ENOMEM;
  }
  errno = 0;
  FILE* const file = ::fopen(path, mode);
  if (file == nullptr) {
    return errno;
  }
  // It owns the file from here on, also where it fails.
  const std::unique_ptr<pcap_dumper_t, DumperCloser> dumper(pcap_dump_fopen(handle.get(), file));
  if (!dumper) {
    return errno == 0 ? EIO : errno;
  }
  for (const TraceRecord& record : records) {
    const pcap_pkthdr header = header_of(record, wall_clock_offset);
    pcap_dump(reinterpret_cast<u_char*>(dumper.get()), &header, reinterpret_cast<const u_char*>(record.bytes.data()));
  }
  // pcap_dump says nothing of a write that failed: the stream remembers it.
  const bool is_whole = pcap_dump_flush(dumper.get()) == 0 && ::ferror(pcap_dump_file(dumper.get())) == 0;
  return is_whole ? 0 : (errno == 0 ? EIO : errno);
}

}  // namespace

Result<void> write_capture_file(const std::string& path, std::span<const TraceRecord> records,
                                Duration wall_clock_offset) {
  for (const TraceRecord& record : records) {
    if ((record.stamp + wall_clock_offset).ns() < 0) {
      return Error{Status::invalid, 0, "dating the frames of a capture file"};
    }
  }
  const std::filesystem::path target = resolve(path);
  if (exists_and_is_special(target)) {
    const int os_code = write_records(target.c_str(), "wb", records, wall_clock_offset);
    return os_code == 0 ? Result<void>() : platform::os_error(os_code, "writing a capture file");
  }
  const std::string temporary = target.string() + "." + std::to_string(platform::random_u64()) + ".tmp";
  // "x" refuses a name that is taken, so that nobody's file or link is written through.
  const int os_code = write_records(temporary.c_str(), "wbx", records, wall_clock_offset);
  std::error_code rename_error;
  if (os_code == 0) {
    std::filesystem::rename(temporary, target, rename_error);
  }
  if (os_code == 0 && !rename_error) {
    return {};
  }
  std::error_code ignored;  // the first error is the one to tell
  std::filesystem::remove(temporary, ignored);
  return platform::os_error(os_code != 0 ? os_code : rename_error.value(), "writing a capture file");
}

}  // namespace rtecho::drivers
