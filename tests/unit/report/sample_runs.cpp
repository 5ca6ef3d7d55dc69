#include "sample_runs.hpp"

#include <memory>
#include <utility>

namespace rtecho::report::sample {

std::vector<std::int64_t> latencies_us(std::uint64_t count, std::int64_t usual_us, std::int64_t max_us) {
  std::vector<std::int64_t> us(count, usual_us);
  us.back() = max_us;
  return us;
}

SeriesRecord series(const std::string& protocol, std::uint64_t message_bytes, const std::vector<std::int64_t>& us) {
  const auto histogram = std::make_unique<Histogram>();
  std::uint64_t sequence = 0;
  for (const std::int64_t latency : us) {
    histogram->record(Duration::from_us(latency), ++sequence);
  }
  SeriesRecord series;
  series.protocol = protocol;
  series.client_driver = "socket";
  series.server_driver = "socket";
  series.message_bytes = message_bytes;
  series.wait = {"spin", "spin"};
  series.blocked_waits = {0, 0};
  ClientAccounting& client = series.accounting.client;
  client.attempted = client.sent = client.answered = client.frames = us.size();
  series.accounting.server = ServerAccounting{us.size(), us.size(), 0, 0, 0, us.size(), 0};
  series.accounting.lost_up = 0;
  series.accounting.lost_down = 0;
  series.elapsed_ns = 1'000'000'000;
  series.batches = {{us.size() / 2, 20'000, 30'000}, {us.size() - us.size() / 2, 20'000, 40'000}};
  series.service = summarize(*histogram);
  series.resume = ResumeSummary{32, 25'000, 30'000, 90'000, 501};
  const WindowRecord clean{0, 0, 0, 0, 0, 0, 0, 1'000, 0, {}, 0};
  series.determinism = {clean, clean};
  series.notes = {{"response", "ping-pong has no schedule"}};
  return series;
}

NamedRun run(const std::string& build, int minute, std::vector<SeriesRecord> all_series) {
  NamedRun named;
  named.source = build + std::to_string(minute) + ".json";
  RunFile& file = named.run;
  file.tool = {build == "normal" ? "rtecho-gpos" : "rtecho", "0.1.0", build, "GCC 12.2"};
  file.realtime = build == "realtime";
  file.label = build == "normal" ? "ordinary" : "pinned";
  file.started = "2026-03-01T10:" + std::string(minute < 10 ? "0" : "") + std::to_string(minute) + ":00Z";
  file.server = EndRecord{};
  file.series = std::move(all_series);
  file.complete = true;
  return named;
}

NamedRun udp_run(const std::string& build, int minute, std::int64_t max_us) {
  return run(build, minute, {series("udp", 64, latencies_us(10'000, 20, max_us))});
}

}  // namespace rtecho::report::sample
