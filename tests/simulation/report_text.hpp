// A whole run as text, to be compared byte for byte.
#pragma once

#include <string>

#include "simulation.hpp"

namespace rtecho::simulation {

class Text {
 public:
  template <typename... Numbers>
  void line(const char* name, Numbers... numbers) {
    text_ += name;
    ((text_ += " " + std::to_string(numbers)), ...);
    text_ += "\n";
  }
  void histogram(const char* name, const Histogram& h) {
    line(name, h.n(), h.saturated(), h.negative(), h.min().value_or(Duration{}).ns(), h.max().value_or(Duration{}).ns(),
         h.max_sequence(), h.sum().high, h.sum().low, h.sum_of_squares().high, h.sum_of_squares().low);
    for (std::size_t i = 0; i < Histogram::bucket_count; ++i) {
      if (h.count_at(i) != 0) {
        line(" bucket", i, h.count_at(i));
      }
    }
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// Every number of a series, in a fixed order.
template <typename Run>
std::string report_of(const Run& run) {
  Text text;
  const SeriesRecord& record = run.record();
  const ClientAccounting& c = record.accounting;
  const ServerAccounting& s = run.server();
  text.line("end", static_cast<int>(record.end), record.elapsed.ns(), record.rests, record.drain_waits);
  text.line("client", c.attempted, c.sent, c.refused, c.skipped, c.answered, c.late, c.lost, c.unresolved, c.frames,
            c.duplicate, c.corrupt, c.malformed, c.stray, c.reordered, c.late_untimed, c.warmup, c.resume);
  text.line("server", s.frames, s.requests, s.repeated, s.malformed, s.unarmed, s.replies, s.reply_refused);
  for (const BatchRecord& batch : record.batches.records()) {
    text.line("batch", batch.n, batch.min.ns(), batch.max.ns());
  }
  for (const SlowMessage& slow : record.slowest.entries()) {
    text.line("slow", slow.length.ns(), slow.sequence, slow.intended.ns(), slow.send.ns(), slow.server_receive.ns(),
              slow.server_send.ns(), slow.receive.ns());
  }
  text.histogram("service", record.service);
  text.histogram("response", record.response);
  text.histogram("slip", record.slip);
  text.histogram("turnaround", record.turnaround);
  text.histogram("residence", record.residence);
  text.histogram("resume", record.resume);
  return text.text();
}

}  // namespace rtecho::simulation
