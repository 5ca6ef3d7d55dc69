// From what the loops and the machine left behind to the run file's records. Copies and names; judges nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "client_series.hpp"
#include "control_messages.hpp"
#include "options.hpp"
#include "report/run_file.hpp"

namespace rtecho::pair {

// `mtu` of the interface on the way to the server, where it is known.
[[nodiscard]] report::SeriesRecord series_record(const ClientSeries& series, const ClientOptions& options,
                                                 std::optional<std::uint32_t> mtu, drivers::IpVersion version);

// Everything but the series and the ends.
[[nodiscard]] report::RunFile begin_run_file(const ClientOptions& options);

// The server's own run file (--report): its half of each series, as the series end. The client's half stays empty
// there; the client's run file holds both.
class ServerRunFile {
 public:
  explicit ServerRunFile(const ServerOptions& options);
  // Rewrites the file. A failure is told on stderr: the server goes on serving.
  void add(const Arm& arm, Driver driver, const ServerReport& report, const report::EndRecord& end);

 private:
  std::string path_;
  report::RunFile run_;
};

}  // namespace rtecho::pair
