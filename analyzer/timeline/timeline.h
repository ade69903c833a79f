// What a capture tells, as plain values. Everything the analyzer prints is a view of these; the
// capture's own messages end at timeline_builder.h. Enumerators carry the numbers of capture.proto,
// which tests/analyzer/names_test.cc checks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/base/clock.h"

namespace dstap::analyzer {

enum class Method : uint8_t {
  kUnknown = 0,
  kGetAsync = 1,
  kSetAsync = 2,
  kUpdateAsync = 3,
  kIncrementAsync = 4,
  kRemoveAsync = 5,
  kGetVersionAsync = 6,
  kGetVersionAtTimeAsync = 7,
  kRemoveVersionAsync = 8,
  kListDataStoresAsync = 9,
  kListKeysAsync = 10,
  kListVersionsAsync = 11,
  kGetSortedAsync = 12,
  kBatchGetAsync = 13,
  kOnUpdate = 14,
  kDeleteDataStore = 20,
  kUndeleteDataStore = 21,
  kSnapshotDataStores = 22,
  kCreateEntry = 23,
  kMemoryMapGet = 40,
  kMemoryMapSet = 41,
  kMemoryMapUpdate = 42,
  kMemoryMapRemove = 43,
  kMemoryMapList = 44,
  kMemorySortedMapGet = 45,
  kMemorySortedMapSet = 46,
  kMemorySortedMapUpdate = 47,
  kMemorySortedMapRemove = 48,
  kMemorySortedMapRange = 49,
  kMemoryQueueAdd = 50,
  kMemoryQueueRead = 51,
  kMemoryQueueRemove = 52,
  kPublishAsync = 60,
  kSubscribeAsync = 61,
};

enum class StoreKind : uint8_t {
  kUnknown = 0,
  kStandard = 1,
  kOrdered = 2,
  kMemoryHashMap = 3,
  kMemorySortedMap = 4,
  kMemoryQueue = 5,
  kTopic = 6,
};

enum class UseCache : uint8_t { kUnset = 0, kTrue = 1, kFalse = 2 };

enum class ServedBy : uint8_t { kUnknown = 0, kBackend = 1, kLocalCopy = 2 };

enum class Outcome : uint8_t {
  kUnknown = 0,
  kOk = 1,
  kCancelled = 2,
  kDropped = 3,
  kRejected = 4,
  kFailed = 5,
  kInFlight = 6,
};

enum class TransformOutcome : uint8_t {
  kUnknown = 0,
  kValue = 1,
  kNil = 2,
  kRaised = 3,
  kNone = 4,
};

enum class RequestType : uint8_t {
  kUnknown = 0,
  kGetAsync = 1,
  kSetIncrementAsync = 2,
  kUpdateAsync = 3,
  kGetSortedAsync = 4,
  kSetIncrementSortedAsync = 5,
  kOnUpdate = 6,
  kListAsync = 7,
  kGetVersionAsync = 8,
  kRemoveVersionAsync = 9,
  kStandardRead = 10,
  kStandardWrite = 11,
  kStandardList = 12,
  kStandardRemove = 13,
  kOrderedRead = 14,
  kOrderedWrite = 15,
  kOrderedList = 16,
  kOrderedRemove = 17,
};

enum class ValueEncoding : uint8_t { kUnknown = 0, kJson = 1, kRaw = 2 };

enum class ClockKind : uint8_t { kUnknown = 0, kVirtual = 1, kWall = 2 };

enum class NoticeKind : uint8_t {
  kUnknown = 0,
  kQueueWarning = 1,
  kOutput = 2,
  kWarning = 3,
  kError = 4,
  kRecorder = 5,
};

enum class FaultKind : uint8_t {
  kUnknown = 0,
  kDrop = 1,
  kQueue = 2,
  kError = 3,
  kLatency = 4,
  kNeverAnswer = 5,
  kAmbiguousApplied = 6,
  kAmbiguousNotApplied = 7,
  kConflict = 8,
  kServerCrash = 9,
};

enum class LossReason : uint8_t {
  kUnknown = 0,
  kWrite = 1,
  kOverflow = 2,
  kClient = 3,
  kDamage = 4
};

enum class EndReason : uint8_t {
  kUnknown = 0,
  kClosed = 1,
  kSignal = 2,
  kDiskFull = 3,
  kLimit = 4,
  kCommandFailed = 5,
  kRecovered = 6,
  kContinued = 7
};

// The header option with which a recording says what it is to run: "some-library@1.2.0".
inline constexpr std::string_view kLibraryOption = "library";

struct Library {
  std::string name;
  std::string version;
  std::string commit;
  std::string licence;
  std::string origin;     // Package name and version, or "path".
  bool is_model = false;  // Written from published behaviour; not the library's own source.

  friend auto operator<=>(const Library&, const Library&) = default;
};

// What was asked for on a command line or of an environment, as far as it changes results.
struct Option {
  std::string name;
  std::string value;

  friend auto operator<=>(const Option&, const Option&) = default;
};

// A server, script or tool that makes calls.
struct Source {
  uint32_t id = 0;
  // Counts the sources of a recording from 0, in order of first appearance.
  size_t index = 0;
  // A row introduced it. Otherwise all that is known of it is that calls or steps name it.
  bool introduced = false;
  std::string name;
  std::string role;
  std::string job_id;
  uint64_t place_id = 0;
  uint64_t universe_id = 0;
  std::optional<uint32_t> players;
  std::optional<Library> library;
  std::vector<Option> options;

  // Null: none was named.
  const Library* NamedLibrary() const {
    return library && !library->name.empty() ? &*library : nullptr;
  }
  // Empty: not known.
  std::string LibraryVersion() const { return library ? library->version : ""; }
};

struct Limit {
  RequestType type = RequestType::kUnknown;
  uint32_t base = 0;        // Requests a minute.
  uint32_t per_player = 0;  // And so many more for each player.
};

// The limits in force for a source from here on.
struct LimitsInForce {
  const Source* source = nullptr;
  Time time{};
  std::string_view reason;  // "start", "players", "SetRateLimitForRequestType".
  std::vector<Limit> limits = {};
};

struct StoreKey {
  std::string store;
  std::string scope;
  std::string key;  // Empty: the whole store.
};

// A named piece of work, and which calls are part of it: those its source issued from its begin to
// its end, about one of its store keys.
struct Step {
  uint64_t id = 0;
  // A small number that no other live step has; used again once OnStepEnd() was called for this
  // one. Views keep what they know of live steps in a vector by slot.
  size_t slot = 0;
  const Source* source = nullptr;  // Never null in a callback.
  std::string name;
  std::string subject;  // Whose traffic it is: the library under test.
  std::string scenario;
  uint32_t sample = 0;          // From 1.
  std::vector<StoreKey> about;  // Empty: every call of the source.
  std::string expected;         // What it sees if the last save is not lost; empty: not said.
  bool partial = false;         // Some of its records were cut off: what is here is no sample.
  Time begin{};
  std::optional<Time> end;  // Absent: open, or never ended.
  bool ok = false;          // These three are known at the end.
  std::string text;         // Why it failed.
  std::string observed;     // What it saw.
};

struct BudgetUse {
  RequestType type = RequestType::kUnknown;  // Unknown: not spent.
  std::optional<uint64_t> before;            // Visible at issue, before the call took anything.
  std::optional<uint64_t> after;             // Visible when the answer was given.
  uint32_t taken = 0;
};

struct ValueInfo {
  uint64_t bytes = 0;  // Of its JSON text.
  uint64_t hash = 0;   // 0: not known.
  std::optional<std::string_view> value;
  ValueEncoding encoding = ValueEncoding::kUnknown;
};

struct TransformRun {
  TransformOutcome outcome = TransformOutcome::kUnknown;
  Time started{};
  Time took{};
};

// Arguments of the listing, version and sorted calls. Absent: not given.
struct ListArguments {
  std::optional<std::string> prefix;
  std::optional<uint32_t> page_size;
  std::optional<std::string> cursor;
  std::optional<bool> exclude_deleted;
  std::optional<bool> ascending;
  std::optional<int64_t> min_date_ms;
  std::optional<int64_t> max_date_ms;
  std::optional<int64_t> min_value;
  std::optional<int64_t> max_value;
  std::optional<std::string> version;
  std::optional<int64_t> at_ms;
  std::vector<std::string> keys;
  std::optional<uint32_t> page;
  std::optional<uint32_t> items;
};

// One call, as its last record tells it.
//
// Units:     times are nanoseconds since the recording began.
// Ownership: owns nothing; everything it refers to lives until the callback returns.
// Absent:    an empty view is "none"; optional times were never seen.
struct Call {
  uint64_t id = 0;
  const Source* source = nullptr;  // Never null in a callback.
  std::string_view caller;
  Method method = Method::kUnknown;
  std::string_view store;
  std::string_view scope;
  StoreKind store_kind = StoreKind::kUnknown;
  bool all_scopes = false;
  std::string_view key;
  UseCache use_cache = UseCache::kUnset;
  const ListArguments* list = nullptr;

  Time issued{};
  std::optional<Time> admitted;   // Left its (last) queue, or was let through at once.
  std::optional<Time> completed;  // The caller got its answer.
  uint32_t times_queued = 0;
  Time queued{};  // Time spent in queues.
  ServedBy served_by = ServedBy::kUnknown;

  std::span<const TransformRun> transform_runs;

  Outcome outcome = Outcome::kUnknown;
  uint32_t error_code = 0;
  std::string_view error_name;
  std::string_view error_text;

  std::optional<ValueInfo> read;
  std::optional<ValueInfo> written;
  std::string_view version;
  std::array<BudgetUse, 2> budgets;
  uint64_t fault = 0;
};

// What is counted of a call that belongs to no step.
struct CallSummary {
  const Source* source = nullptr;  // Never null in a callback.
  Method method = Method::kUnknown;
  UseCache use_cache = UseCache::kUnset;
  Outcome outcome = Outcome::kUnknown;
  ServedBy served_by = ServedBy::kUnknown;
  bool is_admitted = false;
  bool was_queued = false;
  bool has_spent = false;    // Tokens of a budget.
  bool has_written = false;  // Only of a call that failed.
};

// What a source could see of one budget: it asked, or its recorder read it.
struct BudgetReading {
  const Source* source = nullptr;  // Never null in a callback.
  Time time{};
  RequestType type = RequestType::kUnknown;
  uint64_t visible = 0;
  bool asked = false;  // The source asked; otherwise the recorder read it.
};

// One instant on the recording's clock, a source's own, and the calendar.
struct ClockReading {
  const Source* source = nullptr;  // Never null in a callback.
  Time time{};
  Time on_source{};
  Time since_1970{};
};

struct Notice {
  const Source* source = nullptr;  // Null: about no source.
  Time time{};
  NoticeKind kind = NoticeKind::kUnknown;
  std::string_view text;
  uint64_t call = 0;
};

struct Fault {
  const Source* source = nullptr;  // Null: not known.
  Time time{};
  uint64_t id = 0;
  FaultKind kind = FaultKind::kUnknown;
  std::string_view rule;
  uint64_t call = 0;
};

struct Loss {
  Time time{};
  LossReason reason = LossReason::kUnknown;
  uint64_t calls = 0;
  uint64_t rows = 0;
  std::string_view text;
};

// What a recording was made from: another one that was cut, or one of several that were merged.
struct Provenance {
  std::string command;  // "trim", "merge".
  uint64_t calls_dropped = 0;
  std::string text;  // What was done, in words.
};

// From one Header to the next, or to the end of the file. Ids are scoped to it.
struct Recording {
  std::string file;
  uint32_t number = 1;  // From 1 in its file.
  // Without a header (it was damaged, or the file was cut at its front) the next nine are unknown.
  bool has_header = false;
  std::string tool;
  std::string tool_version;
  ClockKind clock = ClockKind::kUnknown;
  std::string title;
  std::string rule_profile;  // Empty: a live service.
  std::optional<uint64_t> seed;
  std::vector<Option> options;
  std::string backend;
  bool values_recorded = false;

  // Known at its end.
  std::vector<Provenance> provenance;
  uint64_t calls = 0;            // Each once.
  uint64_t calls_in_flight = 0;  // Of those, never answered as far as the file tells.
  uint64_t calls_matching = 0;   // Of those, selected by the filter; without one all.
  Time last{};                   // The latest time in it.
  std::optional<EndReason> end;  // Absent: no End record.
  std::string end_text;          // More about it.
  uint64_t calls_lost = 0;
  uint64_t rows_lost = 0;
};

enum class FileState : uint8_t { kClosed, kUnfinished, kDamaged, kUnreadable };

// Bytes [begin, end) that were passed over, and why. None: no bytes are wrong, but records that
// were written are not there.
struct SkippedBytes {
  uint64_t begin = 0;
  uint64_t end = 0;
  std::string why;
};

// How the reading of a file went.
struct FileEnd {
  std::string file = {};
  FileState state = FileState::kClosed;
  std::string error = {};  // With kUnreadable, and when reading stopped early: one line.
  std::vector<SkippedBytes> skipped = {};
  uint64_t torn_bytes = 0;      // Of a last chunk that was not written whole.
  uint64_t unknown_fields = 0;  // Of a newer dstap.
};

}  // namespace dstap::analyzer
