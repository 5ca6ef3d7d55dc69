#include "rt_core/run_plan.hpp"

#include <gtest/gtest.h>

namespace rtecho {
namespace {

PlanFault fault_with(void (*change)(ClientPlan&), Protocol protocol = Protocol::udp) {
  ClientPlan plan;
  change(plan);
  return validate(plan, protocol);
}

TEST(BatchPlan, RestsATenthOfTheBatchOrTheSetRestAndThePeersIdleLimit) {
  const BatchPlan plan;
  const Duration two_ms = Duration::from_ms(2);
  EXPECT_EQ(plan.rest_after(Duration{}, two_ms).ns(), 7'000'000);
  EXPECT_EQ(plan.rest_after(Duration::from_ms(50), two_ms).ns(), 7'000'000);
  EXPECT_EQ(plan.rest_after(Duration::from_ms(60), two_ms).ns(), 8'000'000);
  EXPECT_EQ(plan.rest_after(Duration::from_ms(100), two_ms).ns(), 12'000'000);
  EXPECT_EQ(plan.rest_after(Duration::from_ms(100), Duration::from_ms(20)).ns(), 30'000'000);
}

TEST(EffectiveResume, IsWhatWasAskedUnlessABatchWouldHoldLittleElse) {
  ClientPlan plan;
  EXPECT_EQ(effective_resume(plan), 16U);
  plan.pacing.numerator_ns = 1'000'000'000;
  plan.pacing.denominator = 320;  // 32 messages are 100 ms
  EXPECT_EQ(effective_resume(plan), 16U);
  plan.pacing.denominator = 319;
  EXPECT_EQ(effective_resume(plan), 0U);
  plan.pacing.denominator = 320;
  plan.batch.messages = 0;
  EXPECT_EQ(effective_resume(plan), 0U) << "no rest, nothing resumes";
}

TEST(Validate, AcceptsTheDefaults) {
  EXPECT_EQ(validate(ClientPlan{}, Protocol::udp), PlanFault::none);
  EXPECT_EQ(validate(ClientPlan{}, Protocol::tcp), PlanFault::none);
}

TEST(Validate, BoundsTheMessage) {
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.shape.message_bytes = 0; }), PlanFault::message_bytes);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.shape.message_bytes = 1; }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.shape.message_bytes = 65'507; }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.shape.message_bytes = 65'508; }), PlanFault::message_bytes);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.shape.message_bytes = 65'535; }, Protocol::tcp), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.shape.message_bytes = 65'536; }, Protocol::tcp), PlanFault::message_bytes);
}

TEST(Validate, BoundsTheWindow) {
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.window = 0; }), PlanFault::window);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.window = 32'768; }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.window = 32'769; }), PlanFault::window);
}

PlanFault fault_of_window(std::uint32_t message_bytes, std::uint32_t window) {
  ClientPlan plan;
  plan.shape.message_bytes = message_bytes;
  plan.pacing.window = window;
  return validate(plan, Protocol::udp);
}

TEST(Validate, BoundsTheWindowByTheBitsOfATag) {
  EXPECT_EQ(fault_of_window(1, 1), PlanFault::none);
  EXPECT_EQ(fault_of_window(1, 2), PlanFault::window_of_tag);
  EXPECT_EQ(fault_of_window(2, 16'384), PlanFault::none);
  EXPECT_EQ(fault_of_window(2, 16'385), PlanFault::window_of_tag);
  EXPECT_EQ(fault_of_window(3, 32'768), PlanFault::none);
  EXPECT_EQ(window_max_of(1), 1U);
  EXPECT_EQ(window_max_of(2), 16'384U);
  EXPECT_EQ(window_max_of(3), 32'768U);
  EXPECT_EQ(window_max_of(8), 32'768U);
  EXPECT_EQ(window_max_of(9), 32'768U);
  EXPECT_EQ(window_max_of(64), 32'768U);
}

TEST(Validate, WantsSomethingToDo) {
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.count = 0; }), PlanFault::count);
  EXPECT_EQ(fault_with([](ClientPlan& p) {
              p.count = 0;
              p.run_for = Duration::from_ns(1);
            }),
            PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) {
              p.count = 0;
              p.run_for = Duration::from_ns(-1);
            }),
            PlanFault::count);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.count = 1; }), PlanFault::none);
}

TEST(Validate, BoundsTheSpacing) {
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.numerator_ns = -1; }), PlanFault::pacing);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.denominator = 0; }), PlanFault::pacing);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.denominator = -3; }), PlanFault::pacing);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.numerator_ns = 3'600'000'000'000; }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.numerator_ns = 3'600'000'000'001; }), PlanFault::pacing);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.pacing.numerator_ns = 1; }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) {
              p.pacing.numerator_ns = 1;
              p.pacing.denominator = 2;
            }),
            PlanFault::pacing);
}

PlanFault fault_of_burst(std::uint32_t burst, std::uint32_t window) {
  ClientPlan plan;
  plan.pacing.burst = burst;
  plan.pacing.window = window;
  return validate(plan, Protocol::udp);
}

TEST(Validate, BoundsTheBurstByTheWindow) {
  EXPECT_EQ(fault_of_burst(0, 4), PlanFault::burst);
  EXPECT_EQ(fault_of_burst(1, 4), PlanFault::none);
  EXPECT_EQ(fault_of_burst(4, 4), PlanFault::none);
  EXPECT_EQ(fault_of_burst(5, 4), PlanFault::burst);
}

TEST(Validate, BoundsTheTimeout) {
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.timeout = Duration{}; }), PlanFault::timeout);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.timeout = Duration::from_ns(1); }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.timeout = Duration::from_s(100); }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.timeout = Duration::from_ns(100'000'000'001); }), PlanFault::timeout);
}

TEST(Validate, BoundsTheRestUnlessThereIsNone) {
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.batch.rest = Duration::from_ns(999'999); }), PlanFault::rest);
  EXPECT_EQ(fault_with([](ClientPlan& p) { p.batch.rest = Duration::from_ms(1); }), PlanFault::none);
  EXPECT_EQ(fault_with([](ClientPlan& p) {
              p.batch.rest = Duration{};
              p.batch.messages = 0;
            }),
            PlanFault::none);
}

TEST(Validate, NamesTheFirstFaultOfSeveral) {
  ClientPlan plan;
  plan.shape.message_bytes = 0;
  plan.pacing.window = 0;
  plan.count = 0;
  plan.timeout = Duration{};
  EXPECT_EQ(validate(plan, Protocol::udp), PlanFault::message_bytes);
}

}  // namespace
}  // namespace rtecho
