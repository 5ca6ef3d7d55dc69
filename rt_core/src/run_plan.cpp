#include "rt_core/run_plan.hpp"

namespace rtecho {

namespace {

constexpr Duration longest_spacing = Duration::from_s(3'600);

PlanFault validate_pacing(const PacingPlan& pacing, std::uint32_t message_bytes) {
  if (pacing.window == 0 || pacing.window > limits::window_max) {
    return PlanFault::window;
  }
  if (pacing.window > window_max_of(message_bytes)) {
    return PlanFault::window_of_tag;
  }
  if (pacing.numerator_ns < 0 || pacing.denominator <= 0 || pacing.spacing() > longest_spacing ||
      (pacing.scheduled() && pacing.spacing() < Duration::from_ns(1))) {
    return PlanFault::pacing;
  }
  if (pacing.burst == 0 || pacing.burst > pacing.window) {
    return PlanFault::burst;
  }
  return PlanFault::none;
}

}  // namespace

PlanFault validate(const ClientPlan& plan, Protocol protocol) {
  if (plan.shape.message_bytes == 0 || plan.shape.message_bytes > message_bytes_max(protocol)) {
    return PlanFault::message_bytes;
  }
  const PlanFault pacing = validate_pacing(plan.pacing, plan.shape.message_bytes);
  if (pacing != PlanFault::none) {
    return pacing;
  }
  if (plan.count == 0 && plan.run_for <= Duration{}) {
    return PlanFault::count;
  }
  if (plan.timeout <= Duration{} || plan.timeout.ns() > limits::histogram_highest_ns) {
    return PlanFault::timeout;
  }
  // The peer spins for its idle limit (2 ms) into the rest; below 3 ms of rest it would leave its core less than
  // the 5 % that the fair server takes by force.
  if (plan.batch.rests() && plan.batch.rest < Duration::from_ms(1)) {
    return PlanFault::rest;
  }
  return PlanFault::none;
}

}  // namespace rtecho
