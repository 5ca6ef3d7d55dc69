// The messages of this folder, byte by byte, in both directions: what the client emits, what the server makes of it,
// and what the client reads in the answer.
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "rt_core/echo_server.hpp"
#include "rt_core/reply.hpp"
#include "rt_core/request.hpp"
#include "scripted_port.hpp"
#include "vector_file.hpp"

namespace rtecho {
namespace {

using test::Message;
using test::ScriptedPort;

using test::Vector;

MessageShape shape_of(const Vector& vector) {
  return {.message_bytes = static_cast<std::uint32_t>(vector.number("message_bytes")),
          .session = vector.number("session")};
}

std::vector<std::string> vector_names() {
  return test::vector_names(RTECHO_VECTORS);
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
  Vector vector_ = test::read_vector(std::filesystem::path(RTECHO_VECTORS) / (GetParam() + ".txt"));
};

TEST_P(EachVector, IsWhatTheClientEmits) {
  ScriptedPort clock;
  clock.clock = vector_.instant("client_send_ns");
  Message message(vector_.request.size(), std::byte{0xEE});
  RequestWriter(shape_of(vector_)).write(message, vector_.number("sequence"), clock);
  EXPECT_EQ(message, vector_.request);
}

TEST_P(EachVector, IsTurnedIntoItsReplyByAServerThatBelievesIt) {
  ScriptedPort port;
  const Instant receive = vector_.instant("server_receive_ns");
  const Duration apart = Duration::from_ns(static_cast<std::int64_t>(vector_.number("looks_apart_ns")));
  port.stamps = {receive - apart, receive, vector_.instant("server_send_ns")};
  EchoServer<ScriptedPort> server(port, test::server_plan(shape_of(vector_)));
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
  ASSERT_EQ(ReplyReader(shape_of(vector_)).read(vector_.reply, sequence, reply), MessageFault::none);
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
  EXPECT_EQ(ReplyReader(shape_of(vector_)).read(vector_.request, vector_.number("sequence"), reply),
            MessageFault::kind);
}

INSTANTIATE_TEST_SUITE_P(InThisFolder, EachVector, testing::ValuesIn(vector_names()),
                         [](const auto& vector) { return vector.param; });

}  // namespace
}  // namespace rtecho
