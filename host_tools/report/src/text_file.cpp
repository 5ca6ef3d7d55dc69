#include "report/text_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>

namespace rtecho::report {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{64} * 1024 * 1024;

struct FileCloser {
  // Only for a file whose content no longer matters: one that was read, or one that is being given up.
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

Failure system_failure(std::string_view what, const std::string& path, int os_code, std::string_view advice) {
  return {FailureKind::system,
          fmt::format("cannot {} {}: {}{}", what, path, std::generic_category().message(os_code), advice)};
}

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

std::string temporary_name(const std::filesystem::path& target) {
  return fmt::format("{}.{:08x}.tmp", target.string(), std::random_device{}());
}

// Returns the system's code, 0 on success. fclose reports what a full disk or a network file system found last.
int write_and_close(File file, std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() || std::fflush(file.get()) != 0) {
    return errno;
  }
  return std::fclose(file.release()) == 0 ? 0 : errno;
}

constexpr std::string_view advice_on_space = "; free some space or choose another path";
constexpr std::string_view advice_on_path = "; choose a path in an existing folder that may be written to";

}  // namespace

Outcome<std::string> read_text_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return system_failure("open", path, errno, "");
  }
  std::string text;
  char block[16 * 1024];
  std::size_t got = 0;
  while ((got = std::fread(block, 1, sizeof block, file.get())) > 0) {
    text.append(block, got);
    if (text.size() > file_bytes_max) {
      return Failure{FailureKind::content, fmt::format("{}: larger than 64 MiB, which no file of rtecho is", path)};
    }
  }
  if (std::ferror(file.get()) != 0) {
    return system_failure("read", path, errno, "");
  }
  return text;
}

Outcome<Done> write_text_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    errno = 0;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
      return system_failure("write to", "standard output", errno, "");
    }
    return Done{};
  }
  const std::filesystem::path target = resolve(path);
  const bool direct = exists_and_is_special(target);
  const std::string written_to = direct ? target.string() : temporary_name(target);
  // "x" refuses a name that is taken, so that nobody's file or link is written through.
  File file(std::fopen(written_to.c_str(), direct ? "wb" : "wbx"));
  if (!file) {
    return system_failure("create", path, errno, advice_on_path);
  }
  const int os_code = write_and_close(std::move(file), text);
  std::error_code rename_error;
  if (os_code == 0 && !direct) {
    std::filesystem::rename(written_to, target, rename_error);
  }
  if (os_code == 0 && !rename_error) {
    return Done{};
  }
  if (!direct) {
    std::error_code ignored;  // the first error is the one to tell
    std::filesystem::remove(written_to, ignored);
  }
  return system_failure("write", path, os_code != 0 ? os_code : rename_error.value(), advice_on_space);
}

Outcome<Done> check_writable(const std::string& path) {
  if (path == "-") {
    return Done{};
  }
  const std::filesystem::path target = resolve(path);
  std::error_code ignored;  // what cannot be looked at is no directory
  if (std::filesystem::is_directory(target, ignored)) {
    return system_failure("create", path, EISDIR, advice_on_path);
  }
  if (exists_and_is_special(target)) {
    return Done{};
  }
  const std::string probe = temporary_name(target);
  const File file(std::fopen(probe.c_str(), "wbx"));
  if (!file) {
    return system_failure("create", path, errno, advice_on_path);
  }
  // Not looked at: an empty file that stays behind harms nobody.
  std::filesystem::remove(probe, ignored);
  return Done{};
}

}  // namespace rtecho::report
