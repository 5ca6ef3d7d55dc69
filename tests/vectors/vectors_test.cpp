// The messages of this folder, byte by byte, in both directions: what the client emits, what the server makes of it,
// and what the client reads in the answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "rt_core/echo_server.hpp"
#include "rt_core/reply.hpp"
#include "rt_core/request.hpp"
#include "scripted_port.hpp"

namespace rtecho {
namespace {

using test::Message;
using test::ScriptedPort;

struct Vector {
  std::map<std::string, std::string> fields;
  Message request;
  Message reply;

  [[nodiscard]] std::uint64_t number(const std::string& key) const { return std::stoull(fields.at(key)); }
  [[nodiscard]] Instant instant(const std::string& key) const { return Instant::from_ns(std::stoll(fields.at(key))); }
  [[nodiscard]] MessageShape shape() const {
    return {.message_bytes = static_cast<std::uint32_t>(number("message_bytes")), .session = number("session")};
  }
};

Vector read_vector(const std::filesystem::path& path) {
  Vector vector;
  std::ifstream file(path);
  Message* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# ")) {
      const std::size_t colon = line.find(": ");
      vector.fields[line.substr(2, colon - 2)] = line.substr(colon + 2);
    } else if (line == "request:") {
      part = &vector.request;
    } else if (line == "reply:") {
      part = &vector.reply;
    } else {
      std::istringstream bytes(line);
      for (unsigned value = 0; bytes >> std::hex >> value;) {
        part->push_back(static_cast<std::byte>(value));
      }
    }
  }
  return vector;
}

std::vector<std::string> vector_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(RTECHO_VECTORS)) {
    if (entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Vectors, AreAllThere) {
  EXPECT_EQ(vector_names().size(), 95U) << "19 sizes, five cases each";
}

class EachVector : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    ASSERT_EQ(vector_.request.size(), vector_.number("message_bytes"));
    ASSERT_EQ(vector_.reply.size(), vector_.number("message_bytes"));
  }
  Vector vector_ = read_vector(std::filesystem::path(RTECHO_VECTORS) / (GetParam() + ".txt"));
};

TEST_P(EachVector, IsWhatTheClientEmits) {
  ScriptedPort clock;
  clock.clock = vector_.instant("client_send_ns");
  Message message(vector_.request.size(), std::byte{0xEE});
  RequestWriter(vector_.shape()).write(message, vector_.number("sequence"), clock);
  EXPECT_EQ(message, vector_.request);
}

TEST_P(EachVector, IsTurnedIntoItsReplyByAServerThatBelievesIt) {
  ScriptedPort port;
  const Instant receive = vector_.instant("server_receive_ns");
  const Duration apart = Duration::from_ns(static_cast<std::int64_t>(vector_.number("looks_apart_ns")));
  port.stamps = {receive - apart, receive, vector_.instant("server_send_ns")};
  EchoServer<ScriptedPort> server(port, test::server_plan(vector_.shape()));
  server.step();
  port.arrive(vector_.request);
  server.step();
  if (vector_.fields.at("new_server_answers") == "no") {
    EXPECT_TRUE(port.replies.empty());
    EXPECT_EQ(server.accounting(), (ServerAccounting{.frames = 1, .malformed = 1}));
    return;
  }
  ASSERT_EQ(port.replies.size(), 1U);
  EXPECT_EQ(port.replies[0], vector_.reply);
}

TEST_P(EachVector, IsReadByTheClient) {
  Reply reply;
  const std::uint64_t sequence = vector_.number("sequence");
  ASSERT_EQ(ReplyReader(vector_.shape()).read(vector_.reply, sequence, reply), MessageFault::none);
  EXPECT_EQ(reply.sequence, sequence);
  if (vector_.fields.at("form") == "full") {
    EXPECT_EQ(reply.client_send, vector_.instant("client_send_ns"));
    EXPECT_EQ(reply.server_receive, vector_.instant("server_receive_ns"));
    EXPECT_EQ(reply.server_send, vector_.instant("server_send_ns"));
    EXPECT_EQ(FullMessage::server_gap_ns(vector_.reply), vector_.number("server_gap_ns"));
  }
}

TEST_P(EachVector, OfARequestIsNoReply) {
  Reply reply;
  EXPECT_EQ(ReplyReader(vector_.shape()).read(vector_.request, vector_.number("sequence"), reply), MessageFault::kind);
}

INSTANTIATE_TEST_SUITE_P(InThisFolder, EachVector, testing::ValuesIn(vector_names()),
                         [](const auto& vector) { return vector.param; });

}  // namespace
}  // namespace rtecho
