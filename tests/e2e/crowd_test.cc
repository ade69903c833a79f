// Many clients at once on the wall clock: a load test of `dstap record --wall`.
#include <gmock/gmock.h>

#include <map>

#include "tests/e2e/program.h"
#include "tests/support/captures.h"

namespace dstap::test {
namespace {

using testing::HasSubstr;

constexpr uint64_t kConnections = 50, kCalls = 100;

class CrowdTest : public ProgramTest {};

TEST_F(CrowdTest, FiftyConnectionsAtOnceAreAllAnsweredAndEachKeepsItsOrder) {
  // Each request takes the same time, so that the order of one connection's answers is the order
  // sent, and so is the order in the file. The experience's limit would fail most of so many.
  const Ran ran =
      Run({"record", "-o", "run.dstap", "--wall", "--rule", "experience_limits=0", "--rule",
           "read_missing_low_us=10000", "--rule", "read_missing_median_us=10000", "--rule",
           "read_missing_high_us=10000", "--rule", "tail_permille=0", "--", DSTAP_TEST_CLIENT,
           "crowd", std::to_string(kConnections), std::to_string(kCalls)});
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  EXPECT_EQ(ran.out, "answered " + std::to_string(kConnections * kCalls) + "\n");
  EXPECT_THAT(Run({"verify", "run.dstap"}).out,
              HasSubstr("run.dstap: closed, " + std::to_string(kConnections * kCalls) + " calls"));

  const ReadResult capture = ReadCapture(Slurp(Path("run.dstap")));
  ASSERT_TRUE(capture.ok());
  struct Connection {
    uint64_t answered = 0;
    uint64_t last_id = 0;
    Time first_issued{}, last_issued{}, last_completed{};
  };
  std::map<uint32_t, Connection> connections;  // By source.
  for (const OwnedRecord& record : capture.records) {
    if (!record.is_call || record.call.outcome == v1::OUTCOME_IN_FLIGHT) continue;
    const capture::CallRecord& call = record.call;
    Connection& connection = connections[call.source];
    if (connection.answered == 0) connection.first_issued = call.issued;
    SCOPED_TRACE(call.source);
    ASSERT_EQ(call.key, std::to_string(++connection.answered));
    ASSERT_EQ(call.outcome, v1::OUTCOME_OK);
    ASSERT_GT(call.id, connection.last_id);
    ASSERT_GE(call.issued, connection.last_issued);
    ASSERT_TRUE(call.completed.has_value());
    ASSERT_GE(*call.completed, connection.last_completed);
    connection.last_id = call.id;
    connection.last_issued = call.issued;
    connection.last_completed = *call.completed;
  }
  ASSERT_EQ(connections.size(), kConnections);
  // At once, truly: the last to begin began before the first to end ended.
  Time last_begin{}, first_end = Time::max();
  for (const auto& [source, connection] : connections) {
    EXPECT_EQ(connection.answered, kCalls) << source;
    last_begin = std::max(last_begin, connection.first_issued);
    first_end = std::min(first_end, connection.last_completed);
  }
  EXPECT_LT(last_begin, first_end);
}

}  // namespace
}  // namespace dstap::test
