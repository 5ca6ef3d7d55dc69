// Points and lengths of time. Every time in rtecho is one of these two types: signed 64-bit nanoseconds that
// cannot be mixed with a bare number, nor with each other by accident. 2^63 ns are 292 years, so no sum of a
// run overflows.
#pragma once

#include <compare>
#include <cstdint>

namespace rtecho {

// A length of time. Negative lengths are legal values: a measured one is an error that is counted and shown.
class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration from_ns(std::int64_t ns) { return Duration(ns); }
  static constexpr Duration from_us(std::int64_t us) { return Duration(us * 1'000); }
  static constexpr Duration from_ms(std::int64_t ms) { return Duration(ms * 1'000'000); }
  static constexpr Duration from_s(std::int64_t s) { return Duration(s * 1'000'000'000); }

  [[nodiscard]] constexpr std::int64_t ns() const { return ns_; }

  friend constexpr auto operator<=>(Duration, Duration) = default;
  friend constexpr Duration operator+(Duration a, Duration b) { return Duration(a.ns_ + b.ns_); }
  friend constexpr Duration operator-(Duration a, Duration b) { return Duration(a.ns_ - b.ns_); }
  friend constexpr Duration operator*(Duration a, std::int64_t k) { return Duration(a.ns_ * k); }
  constexpr Duration& operator+=(Duration other) {
    ns_ += other.ns_;
    return *this;
  }

 private:
  explicit constexpr Duration(std::int64_t ns) : ns_(ns) {}
  std::int64_t ns_ = 0;
};

// A point on the monotonic clock of one machine. Instants of two machines are never subtracted.
class Instant {
 public:
  constexpr Instant() = default;
  static constexpr Instant from_ns(std::int64_t ns) { return Instant(ns); }

  [[nodiscard]] constexpr std::int64_t ns() const { return ns_; }

  friend constexpr auto operator<=>(Instant, Instant) = default;
  friend constexpr Duration operator-(Instant a, Instant b) { return Duration::from_ns(a.ns_ - b.ns_); }
  friend constexpr Instant operator+(Instant a, Duration d) { return Instant(a.ns_ + d.ns()); }
  friend constexpr Instant operator-(Instant a, Duration d) { return Instant(a.ns_ - d.ns()); }
  constexpr Instant& operator+=(Duration d) {
    ns_ += d.ns();
    return *this;
  }

 private:
  explicit constexpr Instant(std::int64_t ns) : ns_(ns) {}
  std::int64_t ns_ = 0;
};

[[nodiscard]] constexpr Duration longer(Duration a, Duration b) {
  return a < b ? b : a;
}
[[nodiscard]] constexpr Duration shorter(Duration a, Duration b) {
  return b < a ? b : a;
}
[[nodiscard]] constexpr Instant earlier(Instant a, Instant b) {
  return b < a ? b : a;
}

}  // namespace rtecho
