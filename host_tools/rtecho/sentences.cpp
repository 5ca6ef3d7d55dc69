#include "sentences.hpp"

#include <fmt/format.h>

#include "platform/os_error.hpp"
#include "report/program_failure.hpp"

namespace rtecho::pair {

namespace {

const char* word_of(Status status) {
  switch (status) {
    case Status::invalid:
      return "invalid";
    case Status::unsupported:
      return "not supported here";
    case Status::denied:
      return "not permitted";
    case Status::in_use:
      return "in use by another program";
    case Status::not_found:
      return "not found";
    case Status::exhausted:
      return "nothing left";
    case Status::timed_out:
      return "no answer in time";
    case Status::refused:
      return "refused";
    case Status::closed:
      return "closed by the peer";
    case Status::unexpected:
      return "unexpected content";
    case Status::failed:
      break;
  }
  return "failed";
}

}  // namespace

std::string sentence_of(const Error& error) {
  if (error.os_code == 0) {
    return fmt::format("{}: {}", error.context, word_of(error.status));
  }
  return fmt::format("{}: {}", error.context, platform::os_error_text(error.os_code));
}

drivers::Address address_of(const std::string& option, const std::string& text, std::uint16_t port) {
  const auto address = drivers::Address::parse(text, port);
  if (address) {
    return address.value();
  }
  if (address.error().status == Status::not_found) {
    throw report::ProgramFailure(report::ExitCode::machine_refused,
                                 fmt::format("{} {}: there is no such interface; see ip link", option, text));
  }
  throw report::ProgramFailure(
      report::ExitCode::usage,
      fmt::format("{} {}: not an address; write numbers like 10.77.0.1, [fd77::1]:7007 or fe80::1%eth0", option, text));
}

}  // namespace rtecho::pair
