#include "report/timestamp.hpp"

#include <chrono>

namespace rtecho::report {
namespace {

// A cursor over the text. A failed step leaves `failed` set, so that the caller checks once.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  // Exactly `digits` decimal digits, no greater than `highest`.
  unsigned number(std::size_t digits, unsigned highest) {
    if (rest_.size() < digits) {
      failed_ = true;
      return 0;
    }
    unsigned value = 0;
    for (const char c : rest_.substr(0, digits)) {
      failed_ = failed_ || c < '0' || c > '9';
      value = value * 10 + static_cast<unsigned>(c - '0');
    }
    rest_.remove_prefix(digits);
    failed_ = failed_ || value > highest;
    return failed_ ? 0 : value;
  }

  // One of `choices`; returns the one that stood there.
  char one_of(std::string_view choices) {
    if (rest_.empty() || choices.find(rest_.front()) == std::string_view::npos) {
      failed_ = true;
      return '\0';
    }
    const char found = rest_.front();
    rest_.remove_prefix(1);
    return found;
  }

  // ".123…": at least one digit; those below a nanosecond are dropped.
  std::int64_t fraction_ns() {
    if (rest_.empty() || rest_.front() != '.') {
      return 0;
    }
    rest_.remove_prefix(1);
    std::int64_t ns = 0;
    std::int64_t unit = 100'000'000;
    std::size_t digits = 0;
    for (; digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits) {
      ns += unit * (rest_[digits] - '0');
      unit /= 10;
    }
    failed_ = failed_ || digits == 0;
    rest_.remove_prefix(digits);
    return ns;
  }

  [[nodiscard]] bool complete() const { return !failed_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace

std::optional<std::int64_t> unix_ns_from_rfc3339(std::string_view text) {
  Scanner scan(text);
  const unsigned year = scan.number(4, 2261);
  scan.one_of("-");
  const unsigned month = scan.number(2, 12);
  scan.one_of("-");
  const unsigned day = scan.number(2, 31);
  scan.one_of("Tt ");
  const unsigned hour = scan.number(2, 23);
  scan.one_of(":");
  const unsigned minute = scan.number(2, 59);
  scan.one_of(":");
  const unsigned second = scan.number(2, 60);
  const std::int64_t fraction_ns = scan.fraction_ns();
  const char zone = scan.one_of("Zz+-");
  std::chrono::minutes offset{0};
  if (zone == '+' || zone == '-') {
    offset = std::chrono::hours(scan.number(2, 23));
    scan.one_of(":");
    offset += std::chrono::minutes(scan.number(2, 59));
  }
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)), std::chrono::month(month),
                                         std::chrono::day(day));
  if (!scan.complete() || !date.ok() || year < 1970) {
    return std::nullopt;
  }
  std::chrono::seconds since_epoch = std::chrono::sys_days(date).time_since_epoch();
  since_epoch += std::chrono::hours(hour) + std::chrono::minutes(minute) + std::chrono::seconds(second);
  since_epoch += zone == '-' ? offset : -offset;
  return std::chrono::nanoseconds(since_epoch).count() + fraction_ns;
}

}  // namespace rtecho::report
