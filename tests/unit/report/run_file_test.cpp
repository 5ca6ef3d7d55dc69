#include "report/run_file.hpp"

#include <gtest/gtest.h>

#include <random>

#include <filesystem>
#include <functional>
#include <vector>

#include "sample_runs.hpp"

namespace rtecho::report {
namespace {

using namespace nlohmann::literals;

// Every optional field is there.
RunFile full_run() {
  SeriesRecord series = sample::series("udp", 64, sample::latencies_us(1'000, 20, 50));
  series.fragments = 1;
  series.response = series.slip = series.turnaround = series.residence = series.service;
  series.port.client = {{"send_calls", 1000}};
  series.port.server = nlohmann::json{{"send_calls", 999}};
  series.slowest = {{1'000, 1, 2, 3, 4, 5}, {7, {}, 2, {}, {}, 5}};
  series.determinism.client->gaps = {{100, 20}, {300, 40}};
  RunFile run = sample::run("realtime", 1, {series}).run;
  run.plan = {{"count", 1000}, {"sizes", {64}}};
  run.client = {{{"kernel", "6.1"}}, {{"policy", "fifo"}}, {"no memory lock"}};
  run.server = EndRecord{{{"kernel", "6.18"}}, {{"priority", 80}}, {}};
  run.warnings = {"the governor is powersave"};
  run.notes = {{"client.host.nic", "virtual"}};
  return run;
}

std::string problem_after(const std::function<void(nlohmann::json&)>& change) {
  static const nlohmann::json sound = to_json(full_run());
  nlohmann::json json = sound;
  change(json);
  const auto run = run_file_from_json(json, "rt.json");
  return run ? "" : run.failure().sentence;
}

}  // namespace

TEST(RunFile, ReadsWhatItWrote) {
  const RunFile run = full_run();
  const auto read = run_file_from_text(to_json(run).dump(), "rt.json");
  ASSERT_TRUE(read) << read.failure().sentence;
  EXPECT_EQ(read.value(), run);
}

TEST(RunFile, ReadsARunThatHasLittle) {
  RunFile run = sample::run("normal", 1, {SeriesRecord{}}).run;
  run.server.reset();
  const auto read = run_file_from_json(to_json(run), "x");
  ASSERT_TRUE(read) << read.failure().sentence;
  EXPECT_EQ(read.value(), run);
}

TEST(RunFile, WritesTheWordsOfTheSchema) {
  const nlohmann::json json = to_json(full_run());
  EXPECT_EQ(json["schema"], "rtecho.run/1");
  EXPECT_EQ(json["tool"]["build"], "realtime");
  const nlohmann::json& series = json["series"][0];
  EXPECT_EQ(series["wait"]["client"], "spin");
  EXPECT_EQ(series["accounting"]["client"]["answered"], 1'000);
  EXPECT_EQ(series["accounting"]["server"]["reply_refused"], 0);
  EXPECT_EQ(series["service"]["max_ns"], 50'000);
  EXPECT_EQ(series["service"]["percentiles"]["p99.9"], 20'015);
  EXPECT_EQ(series["resume"]["max_sequence"], 501);
  EXPECT_EQ(series["determinism"]["client"]["gaps"][1]["length_ns"], 40);
  EXPECT_EQ(series["slowest"][0]["server_send_ns"], 4);
}

TEST(RunFile, WritesWhatWasNotMeasuredAsNull) {
  SeriesRecord series = sample::series("udp", 64, {20});
  series.accounting.server.reset();
  series.determinism.server.reset();
  series.determinism.client->steal_ns.reset();
  const nlohmann::json json = to_json(sample::run("realtime", 1, {series}).run)["series"][0];
  EXPECT_TRUE(json["response"].is_null());
  EXPECT_TRUE(json["accounting"]["server"].is_null());
  EXPECT_TRUE(json["determinism"]["server"].is_null());
  EXPECT_TRUE(json["determinism"]["client"]["steal_ns"].is_null());
  EXPECT_EQ(json["notes"]["response"], "ping-pong has no schedule");
}

TEST(RunFile, AcceptsUnknownKeys) {
  EXPECT_EQ(problem_after([](nlohmann::json& json) {
              json["future"] = 1;
              json["series"][0]["service"]["future"] = {1, 2};
              json["client"]["host"]["anything"] = "goes";
            }),
            "");
}

TEST(RunFile, NamesTheFileAndTheKeyThatIsWrong) {
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["series"][0]["service"]["n"] = "many"; }),
            "rt.json: series[0].service.n is of type string, expected an integer of at least 0");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["series"][0].erase("rests"); }),
            "rt.json: series[0].rests is missing");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["series"][0]["elapsed_ns"] = 1.5; }),
            "rt.json: series[0].elapsed_ns is of type number, expected an integer of 64 bits");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["series"][0]["rests"] = -1; }),
            "rt.json: series[0].rests is of type number, expected an integer of at least 0");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["client"]["degraded"][0] = 1; }),
            "rt.json: client.degraded[0] is of type number, expected a string");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["series"][0]["service"]["percentiles"]["p50"] = nullptr; }),
            "rt.json: series[0].service.percentiles.p50 is of type null, expected an integer of 64 bits");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["plan"] = 1; }),
            "rt.json: plan is of type number, expected an object");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["complete"] = 1; }),
            "rt.json: complete is of type number, expected true or false");
}

TEST(RunFile, RefusesEveryFieldOfAnotherType) {
  const nlohmann::json flat = to_json(full_run()).flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const nlohmann::json::json_pointer place(pointer);
    const bool is_free_form = pointer.starts_with("/plan") || pointer.find("/host/") != std::string::npos ||
                              pointer.find("/granted/") != std::string::npos ||
                              pointer.find("/port/") != std::string::npos;
    if (!is_free_form) {
      EXPECT_NE(problem_after([&](nlohmann::json& json) { json[place] = nlohmann::json::array({true}); }), "")
          << pointer;
    }
  }
}

TEST(RunFile, ChecksWhatTypesDoNotSay) {
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["tool"]["build"] = "fast"; }),
            "rt.json: tool.build is neither realtime nor normal");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["started"] = "yesterday"; }),
            "rt.json: started is no RFC 3339 time");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["series"][0]["service"]["n"] = 999; }),
            "rt.json: series[0].service.histogram holds 1000 samples, n - saturated is 999");
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["series"][0]["service"]["saturated"] = 1'001; }),
            "rt.json: series[0].service.saturated is larger than n");
  EXPECT_NE(problem_after([](nlohmann::json& json) {
              json["series"][0]["service"]["histogram"] = "HISTFA";
            }).find("rt.json: series[0].service.histogram: no histogram"),
            std::string::npos);
}

TEST(RunFile, RefusesAnotherSchema) {
  EXPECT_EQ(problem_after([](nlohmann::json& json) { json["schema"] = "rtecho.run/2"; }),
            "rt.json: its schema is rtecho.run/2, this program reads rtecho.run/1");
  EXPECT_EQ(run_file_from_text("{}", "x").failure().sentence, "x: no run file, it has no schema");
  EXPECT_EQ(run_file_from_text("[1]", "x").failure().sentence, "x: no run file, it has no schema");
  EXPECT_EQ(run_file_from_text("7", "x").failure().kind, FailureKind::content);
}

TEST(RunFile, RefusesEveryTruncation) {
  const std::string text = to_json(full_run()).dump();
  for (std::size_t length = 0; length < text.size(); length += 31) {
    const auto run = run_file_from_text(text.substr(0, length), "cut.json");
    ASSERT_FALSE(run) << length;
    EXPECT_EQ(run.failure().sentence, "cut.json: no run file, its JSON is damaged or cut off");
  }
}

TEST(RunFile, RefusesNestingThatWouldExhaustTheStack) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_FALSE(run_file_from_text(deep, "deep.json"));
  EXPECT_EQ(run_file_from_text("{\"plan\":" + std::string(40, '[') + std::string(40, ']') + "}", "deep.json")
                .failure()
                .sentence,
            "deep.json: nested deeper than 32 levels");
}

TEST(RunFile, SaysNullWhereATagCannotTellWhetherItWasAltered) {
  RunFile run = full_run();
  run.series.resize(1);
  run.series[0].message_bytes = 15;
  run.series[0].accounting.client.corrupt = 0;
  const nlohmann::json json = to_json(run);
  EXPECT_TRUE(json.at("/series/0/accounting/client/corrupt"_json_pointer).is_null());
  EXPECT_TRUE(json.at("/series/0/notes"_json_pointer).contains("accounting.client.corrupt"));
  const auto read = run_file_from_json(json, "test");
  ASSERT_TRUE(read);
  EXPECT_EQ(read.value(), run);
  run.series[0].message_bytes = 16;
  EXPECT_EQ(to_json(run).at("/series/0/accounting/client/corrupt"_json_pointer), 0);
}

TEST(RunFile, SurvivesTheDiskAndTextThatIsNoUtf8) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("rtecho_run_file_" + std::to_string(std::random_device{}()))).string();
  RunFile run = full_run();
  run.label = "caf\xE9";
  ASSERT_TRUE(write_run_file(path, run));
  const auto read = read_run_file(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read) << read.failure().sentence;
  EXPECT_EQ(read.value().label, "caf\xEF\xBF\xBD");
  EXPECT_EQ(read_run_file(path).failure().kind, FailureKind::system);
}

TEST(RunFile, PartsTravelAlone) {
  const RunFile run = full_run();
  const SeriesRecord& series = run.series[0];
  EXPECT_EQ(server_accounting_from_json(to_json(*series.accounting.server), "peer").value(), series.accounting.server);
  EXPECT_EQ(window_record_from_json(to_json(*series.determinism.client), "peer").value(), series.determinism.client);
  EXPECT_EQ(latency_summary_from_json(to_json(*series.service), "peer").value(), series.service);
  EXPECT_EQ(end_record_from_json(to_json(*run.server), "peer").value(), run.server);
}

TEST(RunFile, PartsAreCheckedLikeTheWhole) {
  EXPECT_EQ(server_accounting_from_json({{"frames", 1}}, "peer").failure().sentence, "peer: requests is missing");
  EXPECT_EQ(window_record_from_json(nlohmann::json::array(), "peer").failure().sentence,
            "peer: the whole is of type array, expected an object");
  EXPECT_FALSE(latency_summary_from_json(nullptr, "peer"));
  EXPECT_FALSE(end_record_from_json("text", "peer"));
}

}  // namespace rtecho::report
