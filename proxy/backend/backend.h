// What stands behind the proxy: the simulator, or a live service.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dstap/v1/capture.pb.h"
#include "proto/base/clock.h"
#include "proto/base/status.h"

namespace dstap::proxy {

// The proxy's number of a call: unique in a recording, from 1, in the order calls arrive.
using CallId = uint64_t;
// The proxy's number of a source (a game server, a tool): unique in a recording, from 1.
using SourceId = uint32_t;

// A data store as a script names it. Two scripts of one source that open the same one share it.
struct StoreName {
  std::string name;
  std::string scope;
  v1::StoreKind kind = v1::STORE_KIND_STANDARD;
  bool all_scopes = false;

  friend auto operator<=>(const StoreName&, const StoreName&) = default;
};

struct KeyInfo {
  int64_t created_ms = 0;  // Unix milliseconds.
  int64_t updated_ms = 0;
  std::string version;
  std::vector<int64_t> user_ids;
  std::string metadata;  // A JSON object.
};

// An error as the script sees it; `text` is the whole of it. Empty text: none.
struct CallError {
  uint32_t code = 0;
  std::string name;
  std::string text;
};

// What is to go wrong with a request inside the service. A request that arguments or limits stop
// first does not get that far.
struct ServiceFault {
  enum class Kind : uint8_t {
    kDrop,            // As if its budget and queue were full.
    kFail,            // The service fails it; nothing is read or written, no local copy answers.
    kFailWrite,       // The service loses what is to be written, and says that it failed.
    kFailAfterWrite,  // It writes and says that it failed.
    kConflict,        // Another server writes between an UpdateAsync's read and its first write.
  };
  Kind kind = Kind::kFail;
  CallError error;
};

// A call as the client made it. Values are JSON text and are never written anew.
struct Request {
  SourceId source = 0;
  v1::Method method = v1::METHOD_UNKNOWN;
  StoreName store;
  std::string key;
  v1::UseCache use_cache = v1::USE_CACHE_UNSET;
  std::optional<std::string> value;
  std::vector<int64_t> user_ids;
  std::optional<std::string> metadata;
  std::optional<int64_t> delta;
  v1::ListArguments list;
  // What the caller's engine has against an argument that has no JSON, as its script sees it. Such
  // a call ends as rejected unless something else is wrong with it first. Empty: nothing.
  std::string refused;
  std::shared_ptr<const ServiceFault> fault = nullptr;  // Null: as the service will have it.
};

// What UpdateAsync's function is called with.
struct TransformInput {
  uint32_t run = 1;                  // More than 1 after a conflict.
  std::optional<std::string> value;  // Absent: nil.
  std::optional<KeyInfo> key_info;
};

// What it gave.
struct TransformOutput {
  v1::TransformOutcome outcome = v1::TRANSFORM_OUTCOME_UNKNOWN;
  std::string value;
  std::vector<int64_t> user_ids;
  std::optional<std::string> metadata;
  // With TRANSFORM_OUTCOME_RAISED. With TRANSFORM_OUTCOME_VALUE: why it cannot be stored; the call
  // ends as rejected. Empty: it can.
  std::string error;
};

struct ListedItem {
  std::string key;
  std::optional<std::string> value;
  int64_t created_ms = 0;
  int64_t updated_ms = 0;
  std::string version;
  bool deleted = false;
};

// The end of a call.
struct BackendAnswer {
  v1::Outcome outcome = v1::OUTCOME_UNKNOWN;
  CallError error;
  std::optional<std::string> value;  // Absent: nil.
  std::optional<KeyInfo> key_info;
  std::string version;
  std::vector<ListedItem> items;
  std::string cursor;
  v1::ServedBy served_by = v1::SERVED_BY_UNKNOWN;
  std::array<uint32_t, 2> taken{};  // Tokens of each type of Backend::Spends().
  bool by_fault = false;            // Request::fault has made it what it is.
};

// What a backend tells of the calls it was given. Calls come out of AdvanceTo() only, at the time
// that AdvanceTo() was at, in the order in which a script would see them.
class BackendListener {
 public:
  virtual ~BackendListener() = default;

  // The call waits for a token of `type`; `warning` is the engine's line about it.
  virtual void OnQueued(CallId call, Time now, v1::RequestType type, std::string_view warning) = 0;
  // The call has its token: at once, or after OnQueued.
  virtual void OnAdmitted(CallId call, Time now) = 0;
  // Run the transform function and give its result to Backend::TransformDone.
  virtual void OnTransform(CallId call, Time now, TransformInput input) = 0;
  // Exactly once a call, unless it was cancelled or is never answered.
  virtual void OnAnswer(CallId call, Time now, BackendAnswer answer) = 0;
  // A line that the engine prints on a server.
  virtual void OnNotice(SourceId source, Time now, v1::NoticeKind kind, std::string_view text) = 0;
  // Limits of a source that are in force from now on.
  virtual void OnLimits(SourceId source, Time now, const v1::Limits& limits) = 0;
  // Something was made to go wrong; `fault.id` is new. Told by backends with a fault plan only.
  virtual void OnFault(Time /*now*/, const v1::InjectedFault& /*fault*/) {}
  // It is what became of this open call.
  virtual void OnFaulted(CallId /*call*/, uint64_t /*fault*/) {}
};

// Units:    times are nanoseconds since the recording began and never go back.
// Errors:   what a script would see as an error is a CallError; a backend has no others.
// Threads:  not thread-safe. Never blocks; reads no clock.
// Promises: OnAnswer comes exactly once for each call that is not cancelled, and no listener is
//           called from inside Submit() or TransformDone(). tests/proxy/backend_contract_test.cc
//           runs over every backend of the table.
class Backend {
 public:
  virtual ~Backend() = default;

  // What a source is called, before AddSource() and when it changes; and what a client says of its
  // work, with the recording's ids. Only rules that ask for names care.
  virtual void NameSource(SourceId /*source*/, std::string_view /*name*/) {}
  virtual void BeginStep(const v1::StepBegin& /*step*/) {}
  virtual void EndStep(uint64_t /*step*/) {}

  virtual void AddSource(SourceId source, Time now, uint32_t players) = 0;
  virtual void SetPlayers(SourceId source, Time now, uint32_t players) = 0;
  // Its scripts are told that it shuts down.
  virtual void CloseSource(SourceId /*source*/, Time /*now*/) {}

  // U: a client must refuse to store a table with an array part and other keys.
  virtual bool MixedTablesFail() const { return false; }

  // False: nothing of the call would leave the server. It would be refused, or answered from the
  // server's own copy.
  virtual bool WouldLeave(const Request& /*request*/, Time /*now*/) { return true; }

  // Takes a call. `now` must not be before an earlier one. What follows comes from AdvanceTo().
  virtual void Submit(CallId call, Time now, Request request) = 0;
  virtual void TransformDone(CallId call, Time now, TransformOutput output) = 0;
  // The client is gone: no listener will be called for `call` again. What reached the service
  // before stays done.
  virtual void Cancel(CallId call) = 0;

  // The instant of the earliest thing to happen, if any. Not after the last AdvanceTo()'s time when
  // something is due already.
  virtual std::optional<Time> NextEvent() const = 0;
  // Does all that is due up to and at `now`, each at its own instant, in order.
  virtual void AdvanceTo(Time now, BackendListener& listener) = 0;

  // The three calls that do not yield in Roblox, answered at once.
  virtual CallError OpenStore(SourceId source, Time now, const StoreName& store) = 0;
  virtual int64_t Budget(SourceId source, Time now, v1::RequestType type) = 0;
  // When Budget() may show something else than it does now, if nothing of this source comes in
  // before: no call, no transform result, no limit, no player. `now`: that is not known.
  virtual Time BudgetChange(SourceId source, Time now, v1::RequestType type) = 0;
  virtual CallError SetRateLimit(SourceId source, Time now, v1::RequestType type,
                                 int64_t base_per_minute, int64_t per_player_per_minute) = 0;

  // The request types that `request` spends, read ones first; the second is unknown when there is
  // only one. Nothing for calls without budgets.
  virtual std::array<v1::RequestType, 2> Spends(const Request& request) const = 0;
};

}  // namespace dstap::proxy
