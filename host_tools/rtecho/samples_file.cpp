#include "samples_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "quantities.hpp"
#include "report/program_failure.hpp"

namespace rtecho::pair {

using report::ExitCode;
using report::ProgramFailure;

namespace {

const char* name_of_class(MessageClass message_class) {
  switch (message_class) {
    case MessageClass::warmup:
      return "warmup";
    case MessageClass::resume:
      return "resume";
    case MessageClass::recorded:
      break;
  }
  return "recorded";
}

// A stamp that does not exist is an empty field, not 0.
std::string field(Instant instant) {
  return instant > Instant{} ? fmt::format("{}", instant.ns()) : std::string();
}

}  // namespace

SamplesFile::SamplesFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "w")) {
  if (!file_) {
    throw ProgramFailure(ExitCode::machine_refused, fmt::format("--samples {}: {}", path, std::strerror(errno)));
  }
  std::fputs(
      "protocol,message_bytes,sequence,class,late,service_ns,intended_ns,send_ns,server_receive_ns,"
      "server_send_ns,receive_ns\n",
      file_.get());
}

void SamplesFile::begin_series(Protocol protocol, std::uint32_t message_bytes) {
  series_ = fmt::format("{},{}", name_of(protocol), message_bytes);
}

void SamplesFile::add(const Event& event) {
  // Not printed to the file directly: that throws where the disk is full, in the middle of a run.
  const std::string line =
      fmt::format("{},{},{},{},{},{},{},{},{},{}\n", series_, event.sequence, name_of_class(event.message_class),
                  event.late ? 1 : 0, event.value_ns, field(event.intended), field(event.send),
                  field(event.server_receive), field(event.server_send), field(event.receive));
  std::fwrite(line.data(), 1, line.size(), file_.get());  // finish() asks whether all went well
}

void SamplesFile::finish() {
  const bool failed = std::ferror(file_.get()) != 0 || std::fflush(file_.get()) != 0;
  const int error = errno;
  file_.reset();
  if (failed) {
    throw ProgramFailure(ExitCode::machine_refused,
                         fmt::format("writing {}: {}; the file is not complete", path_, std::strerror(error)));
  }
}

}  // namespace rtecho::pair
