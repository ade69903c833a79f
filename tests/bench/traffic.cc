#include "tests/bench/traffic.h"

#include <fmt/format.h>

#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "proto/base/check.h"
#include "proto/capture/format.h"
#include "tests/bench/traffic_events.h"
#include "tests/bench/traffic_world.h"

namespace dstap::bench {
namespace {

using capture::CallRecord;
using capture::Record;
using capture::TransformRun;
using capture::ValueInfo;

constexpr Time kBeginRecordAfter{capture::kBeginRecordAfterNs};
constexpr std::string_view kStepName = "load and save";
constexpr double kSecondsBetweenCalls = 0.004;  // Of all servers together.
constexpr double kFrame = 1.0 / 60;
// Requests between two servers that save everything at once, and which of these go over the budget.
constexpr uint64_t kCallsPerBurst = 2000;
constexpr uint64_t kBurstsPerOverrun = 10;
constexpr uint64_t kCallsOverBudget = 40;

// A request on its way, and what its record's views refer to.
struct Made {
  CallRecord call;
  std::string store, caller, key, version;
  std::vector<TransformRun> runs;
  v1::ListArguments list;
  uint64_t step = 0;
  bool is_first_of_step = false;
};

std::string VersionOf(uint64_t user, uint64_t writes, Time now) {
  constexpr uint64_t kTicks2026 = 0x08DE48AC5C9B8000;
  return fmt::format("{:016X}.{:010}.{:016X}.01", kTicks2026 - user * 7919, writes,
                     kTicks2026 + static_cast<uint64_t>(now.count()) / 100);
}

}  // namespace

struct Traffic::World {
  explicit World(const TrafficOptions& traffic_options)
      : options(traffic_options), dice(traffic_options.seed), users(traffic_options.users, dice) {
    for (uint32_t id = 1; id <= options.servers; ++id) AddServer(id);
    Plan(Time(), Event::Kind::kArrival, 0);
  }

  void AddServer(uint32_t id) {
    const auto players = static_cast<uint32_t>(2 + dice.Below(19));
    const double per_minute = 60 + 40.0 * players;
    servers.push_back({.id = id,
                       .players = players,
                       .marks_steps = id % 40 == 0,
                       .read = Budget(per_minute, per_minute / 2),
                       .write = Budget(per_minute, per_minute / 2)});
    v1::Row& row = PlanRow(Time());
    v1::Source& source = *row.mutable_source();
    source.set_id(id);
    source.set_name(fmt::format("server {}", id));
    source.set_role("server");
    source.set_job_id(fmt::format("{:08x}-{:04x}-4000-8000-{:012x}", dice.Below(1ULL << 32),
                                  dice.Below(1 << 16), dice.Below(1ULL << 48)));
    source.set_place_id(606849621);
    source.set_universe_id(245662005);
    source.set_players(players);
  }

  void Plan(Time at, Event::Kind kind, size_t index) { events.push({at, ++order, kind, index}); }

  v1::Row& PlanRow(Time at) {
    const size_t index = rows.New();
    Plan(at, Event::Kind::kRow, index);
    rows[index].Clear();
    return rows[index];
  }

  Record Next() {
    if (given_call) calls.Free(*std::exchange(given_call, std::nullopt));
    if (given_row) rows.Free(*std::exchange(given_row, std::nullopt));
    for (;;) {
      const Event event = events.top();
      events.pop();
      switch (event.kind) {
        case Event::Kind::kArrival:
          Arrive(event.at);
          break;
        case Event::Kind::kFollower:
          Follow(event.at, event.index);
          break;
        case Event::Kind::kInFlight:
          return GiveInFlight(calls[event.index]);
        case Event::Kind::kAnswer:
          return GiveAnswer(event);
        case Event::Kind::kRow:
          given_row = event.index;
          return {.row = &rows[event.index], .time = event.at};
      }
    }
  }

  Record GiveAnswer(const Event& event) {
    given_call = event.index;
    Made& made = calls[event.index];
    step_name = made.step == 0 ? std::string_view() : kStepName;
    if (made.step != 0 && made.is_first_of_step) {
      // The same key again, a little later.
      Plan(event.at + Seconds(kFrame), Event::Kind::kFollower, CopyOf(made));
    } else if (made.step != 0) {
      v1::StepEnd& end = *PlanRow(event.at).mutable_step_end();
      end.set_id(made.step);
      end.set_ok(made.call.outcome == v1::OUTCOME_OK);
    }
    return {.call = &made.call};
  }

  size_t CopyOf(const Made& made) {
    const size_t index = calls.New();
    Made& copy = calls[index];
    copy.key = made.key;
    copy.store = made.store;
    copy.caller = made.caller;
    copy.step = made.step;
    copy.call.source = made.call.source;
    return index;
  }

  Record GiveInFlight(const Made& made) {
    in_flight = made.call;
    in_flight.completed.reset();
    in_flight.outcome = v1::OUTCOME_IN_FLIGHT;
    in_flight.served_by = v1::SERVED_BY_UNKNOWN;
    in_flight.transform_runs = {};
    in_flight.read.reset();
    if (made.call.method == v1::METHOD_UPDATE_ASYNC) in_flight.written.reset();
    in_flight.version = {};
    for (capture::BudgetUse& use : in_flight.budgets) {
      use.after.reset();
      use.taken = 0;
    }
    step_name = {};
    return {.call = &in_flight};
  }

  void Arrive(Time now) {
    Plan(now + Seconds(dice.Exponential(kSecondsBetweenCalls)), Event::Kind::kArrival, 0);
    Server& server = servers[dice.Below(servers.size())];
    uint64_t requests = 1;
    if (dice.OneIn(kCallsPerBurst)) {
      requests = server.players;
      if (dice.OneIn(kBurstsPerOverrun)) requests = server.write.Visible(now) + kCallsOverBudget;
    }
    for (uint64_t i = 0; i < requests; ++i) {
      Users::User& user = users.Pick(dice);
      const StoreRow& store = PickStore(dice);
      const size_t index = calls.New();
      Made& made = calls[index];
      made.store.assign(store.name);
      made.caller.assign(store.caller);
      made.key = fmt::format("{}{}{}", store.key_before, user.id, store.key_after);
      made.step = 0;
      made.is_first_of_step = false;
      if (server.marks_steps && requests == 1 && store.kind == v1::STORE_KIND_STANDARD) {
        BeginStep(now, server, made);
      }
      Send(now, server, index, user, store.kind);
    }
  }

  void BeginStep(Time now, const Server& server, Made& made) {
    made.step = ++steps;
    made.is_first_of_step = true;
    v1::StepBegin& begin = *PlanRow(now).mutable_step_begin();
    begin.set_id(made.step);
    begin.set_source(server.id);
    begin.set_name(std::string(kStepName));
    begin.set_subject("saver");
    begin.set_sample(static_cast<uint32_t>(made.step));
    v1::StoreKey& about = *begin.add_about();
    about.set_store(made.store);
    about.set_scope("global");
    about.set_key(made.key);
  }

  void Follow(Time now, size_t index) {
    calls[index].is_first_of_step = false;
    Send(now, servers[calls[index].call.source - 1], index, users.Pick(dice),
         v1::STORE_KIND_STANDARD);
  }

  void Send(Time now, Server& server, size_t index, Users::User& user, v1::StoreKind kind) {
    Made& made = calls[index];
    const MethodRow& method = PickMethod(kind, dice);
    CallRecord& call = made.call;
    call = {};
    call.id = ++ids;
    call.source = server.id;
    call.caller = made.caller;
    call.method = method.method;
    call.store = made.store;
    call.scope = "global";
    call.store_kind = kind;
    call.key = made.key;
    call.issued = now;
    call.served_by = v1::SERVED_BY_BACKEND;
    call.outcome = v1::OUTCOME_OK;
    made.runs.clear();
    AddList(made);

    const bool is_local = method.method == v1::METHOD_GET_ASYNC && dice.OneIn(15);
    if (method.method == v1::METHOD_GET_ASYNC && dice.OneIn(20)) {
      call.use_cache = v1::USE_CACHE_FALSE;
    }
    size_t uses = 0;
    if (method.read != v1::REQUEST_TYPE_UNKNOWN) {
      Spend(server.read, method.read, method, is_local, call.budgets[uses++], call);
    }
    if (method.write != v1::REQUEST_TYPE_UNKNOWN && call.outcome == v1::OUTCOME_OK) {
      Spend(server.write, method.write, method, is_local, call.budgets[uses++], call);
    }
    if (call.times_queued > 0) WarnOfQueue(call);
    if (call.outcome == v1::OUTCOME_DROPPED) {
      call.completed = now + Seconds(kFrame);
      call.served_by = v1::SERVED_BY_UNKNOWN;
    } else if (is_local) {
      call.served_by = v1::SERVED_BY_LOCAL_COPY;
      call.completed = now;
      Read(call, user);
      GiveVersion(made, user);
    } else {
      Serve(made, user);
    }
    for (size_t i = 0; i < uses; ++i) {
      Budget& budget =
          i == 0 && method.read != v1::REQUEST_TYPE_UNKNOWN ? server.read : server.write;
      call.budgets[i].after = budget.Visible(now);
    }
    if (options.in_flight_records && *call.completed > now + kBeginRecordAfter) {
      Plan(now + kBeginRecordAfter, Event::Kind::kInFlight, index);
    }
    Plan(*call.completed, Event::Kind::kAnswer, index);
  }

  void AddList(Made& made) {
    if (made.call.method == v1::METHOD_LIST_VERSIONS_ASYNC) {
      made.list.Clear();
      made.list.set_page_size(10);
      made.list.set_ascending(false);
    } else if (made.call.method == v1::METHOD_GET_SORTED_ASYNC) {
      made.list.Clear();
      made.list.set_page_size(100);
      made.list.set_ascending(false);
      made.call.key = {};
    } else {
      return;
    }
    made.list.set_page(1);
    made.list.set_items(static_cast<uint32_t>(dice.Below(11)));
    made.call.list = &made.list;
  }

  void Spend(Budget& budget, v1::RequestType type, const MethodRow& method, bool is_local,
             capture::BudgetUse& use, CallRecord& call) {
    use.type = type;
    use.before = budget.Visible(call.issued);
    if (is_local) return;
    const Budget::Ticket ticket = budget.Take(call.issued);
    if (ticket.fate == Budget::Fate::kDropped && method.drop_code != 0) {
      call.outcome = v1::OUTCOME_DROPPED;
      call.error_code = method.drop_code;
      call.error_name = method.drop_name;
      call.error_text = method.drop_text;
      call.admitted.reset();
      return;
    }
    use.taken = 1;
    if (ticket.fate == Budget::Fate::kQueued) {
      ++call.times_queued;
      call.queued += ticket.wait;
    }
    call.admitted = call.issued + call.queued;
  }

  void WarnOfQueue(const CallRecord& call) {
    v1::Notice& notice = *PlanRow(call.issued).mutable_notice();
    notice.set_source(call.source);
    notice.set_kind(v1::NOTICE_KIND_QUEUE_WARNING);
    notice.set_call(call.id);
    notice.set_text(fmt::format(
        "DataStore request was added to queue. If request queue fills, further requests will be "
        "dropped. Try sending fewer requests. Key = {}",
        call.key));
  }

  // What the service does, and how long it takes.
  void Serve(Made& made, Users::User& user) {
    CallRecord& call = made.call;
    const bool reads = call.budgets[0].type == v1::REQUEST_TYPE_STANDARD_READ;
    const bool writes = call.method == v1::METHOD_SET_ASYNC ||
                        call.method == v1::METHOD_UPDATE_ASYNC ||
                        call.method == v1::METHOD_INCREMENT_ASYNC;
    Time now = *call.admitted + Seconds(dice.LogNormal(0.075, 0.45));
    if (dice.OneIn(400)) {
      call.outcome = v1::OUTCOME_FAILED;
      call.error_code = 502;
      call.error_name = "RequestRejected";
      call.error_text =
          "502: API Services rejected request with error. HTTP 500 (Internal Server "
          "Error)";
      call.completed = now;
      return;
    }
    if (reads) Read(call, user);
    if (call.method == v1::METHOD_UPDATE_ASYNC) {
      Transform(made, now);
      if (made.runs.back().outcome == v1::TRANSFORM_OUTCOME_NIL) {
        call.outcome = v1::OUTCOME_CANCELLED;
        call.completed = now;
        return;
      }
    }
    if (writes) {
      Write(call, user, now);
      now += Seconds(dice.LogNormal(0.11, 0.5));
    }
    if (reads || writes) GiveVersion(made, user);
    call.completed = now;
  }

  void Read(CallRecord& call, const Users::User& user) const {
    if (user.bytes == 0) return;
    call.read = ValueInfo{.bytes = user.bytes, .hash = options.hashes_and_versions ? user.hash : 0};
  }

  void Write(CallRecord& call, Users::User& user, Time now) {
    const uint64_t grown = user.bytes + dice.Below(40);
    user.bytes = call.store_kind == v1::STORE_KIND_ORDERED ? 1 + dice.Below(6) : grown + 2;
    if (!dice.OneIn(10)) user.hash = dice.Next();  // Else what was there already.
    user.version = VersionOf(user.id, ++user.writes, now);
    call.written =
        ValueInfo{.bytes = user.bytes, .hash = options.hashes_and_versions ? user.hash : 0};
  }

  void GiveVersion(Made& made, const Users::User& user) const {
    if (!options.hashes_and_versions || made.call.store_kind != v1::STORE_KIND_STANDARD) return;
    made.version = user.version;
    made.call.version = made.version;
  }

  void Transform(Made& made, Time& now) {
    const int runs = dice.OneIn(100) ? 2 : 1;
    for (int run = 0; run < runs; ++run) {
      made.runs.push_back({.outcome = v1::TRANSFORM_OUTCOME_VALUE,
                           .started = now,
                           .took = Seconds(dice.LogNormal(20e-6, 0.6))});
      if (run + 1 < runs) now += Seconds(dice.LogNormal(0.11, 0.5));  // A conflict.
    }
    if (dice.OneIn(40)) made.runs.back().outcome = v1::TRANSFORM_OUTCOME_NIL;
    made.call.transform_runs = made.runs;
  }

  TrafficOptions options;
  Dice dice;
  Users users;
  std::vector<Server> servers;
  std::priority_queue<Event, std::vector<Event>, IsLater> events;
  Pool<Made> calls;
  Pool<v1::Row> rows;
  std::optional<size_t> given_call;
  std::optional<size_t> given_row;
  CallRecord in_flight;
  std::string_view step_name;
  uint64_t order = 0;
  uint64_t ids = 0;
  uint64_t steps = 0;
};

Traffic::Traffic(const TrafficOptions& options) : world_(std::make_unique<World>(options)) {}
Traffic::~Traffic() = default;

v1::Header Traffic::Header() const {
  v1::Header header;
  header.set_clock(v1::CLOCK_KIND_WALL);
  header.set_start_unix_ns(capture::kVirtualEpochUnixNs);
  header.set_title("made-up traffic");
  header.set_seed(world_->options.seed);
  return header;
}

Record Traffic::Next() { return world_->Next(); }
std::string_view Traffic::step() const { return world_->step_name; }

}  // namespace dstap::bench
