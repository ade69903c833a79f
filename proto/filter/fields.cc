#include "proto/filter/fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include "proto/capture/names.h"

namespace dstap::filter {
namespace {

using enum FieldKind;

Texts One(std::string_view text) { return {.first = text}; }

Number Exactly(Int128 value) { return {.value = value, .known = Number::Known::kYes}; }
Number AtLeast(Int128 value) { return {.value = value, .known = Number::Known::kAtLeast}; }

// Where the schema says "or 0" for none.
Number NotZero(Int128 value) { return value == 0 ? Number() : Exactly(value); }

// Wider than a Time, since a hostile capture has times that are far apart.
Int128 Ns(Time time) { return time.count(); }

Number NsOf(const std::optional<Time>& time) { return time ? Exactly(Ns(*time)) : Number(); }

template <typename Enum>
NameSet SetOf(Enum value) {
  const std::span<const std::string_view> names = capture::NamesOf<Enum>();
  const auto number = static_cast<size_t>(value);
  const bool is_known = number < names.size() && !names[number].empty();
  return NameSet{1} << (is_known ? number : 0);
}

constexpr std::array<std::string_view, 2> kFlagNames = {"false", "true"};

std::span<const std::string_view> FlagNames() { return kFlagNames; }

NameSet SetOfFlag(bool value) { return value ? 2 : 1; }

// Whether the capture tells if the call waited in a queue.
bool TellsQueue(const capture::CallRecord& call) {
  return call.admitted.has_value() || call.times_queued > 0;
}

// A call that was not answered may be in a queue still. One that got no token at all has been in
// its first since it was issued.
Number QueueOf(const Subject& subject) {
  const capture::CallRecord& call = subject.call;
  if (!TellsQueue(call)) return {};
  if (call.completed) return Exactly(Ns(call.queued));
  const bool is_waiting = !call.admitted && subject.now;
  return AtLeast(is_waiting ? std::max(Ns(call.queued), Ns(*subject.now) - Ns(call.issued))
                            : Ns(call.queued));
}

Number ServiceOf(const Subject& subject) {
  const capture::CallRecord& call = subject.call;
  if (!call.completed || !TellsQueue(call)) return {};
  return Exactly(Ns(*call.completed) - Ns(call.issued) - Ns(call.queued));
}

Number LatencyOf(const Subject& subject) {
  const capture::CallRecord& call = subject.call;
  if (call.completed) return Exactly(Ns(*call.completed) - Ns(call.issued));
  return subject.now ? AtLeast(Ns(*subject.now) - Ns(call.issued)) : Number();
}

Number SizeOf(const std::optional<capture::ValueInfo>& value) {
  return value ? Exactly(value->bytes) : Number();
}

Number HashOf(const std::optional<capture::ValueInfo>& value) {
  return value ? NotZero(value->hash) : Number();
}

Texts ValueOf(const std::optional<capture::ValueInfo>& value) {
  return value && value->value ? One(*value->value) : Texts();
}

NameSet UnchangedOf(const Subject& subject) {
  const Number read = HashOf(subject.call.read);
  const Number written = HashOf(subject.call.written);
  if (read.known == Number::Known::kNo || written.known == Number::Known::kNo) return 0;
  return SetOfFlag(read.value == written.value);
}

NameSet SpendsOf(const Subject& subject) {
  NameSet set = 0;
  for (const capture::BudgetUse& use : subject.call.budgets) {
    if (use.type != v1::REQUEST_TYPE_UNKNOWN) set |= SetOf(use.type);
  }
  return set;
}

// The lowest of those that were seen.
Number LowestOf(const Subject& subject, bool before, bool after) {
  Number lowest;
  for (const capture::BudgetUse& use : subject.call.budgets) {
    if (use.type == v1::REQUEST_TYPE_UNKNOWN) continue;
    for (const auto& [is_asked, seen] :
         {std::pair(before, use.before), std::pair(after, use.after)}) {
      if (!is_asked || !seen) continue;
      if (lowest.known == Number::Known::kNo || *seen < lowest.value) lowest = Exactly(*seen);
    }
  }
  return lowest;
}

// What is not known of a source or a step that is not known either.
template <typename Get>
Texts OfSource(const Subject& subject, Get get) {
  return subject.source == nullptr ? Texts() : One(get(*subject.source));
}

template <typename Get>
Texts OfStep(const Subject& subject, Get get) {
  return subject.step == nullptr ? Texts() : One(get(*subject.step));
}

template <typename Get>
Number OfList(const Subject& subject, bool (v1::ListArguments::*has)() const, Get get) {
  const v1::ListArguments* list = subject.call.list;
  return list != nullptr && (list->*has)() ? Exactly(get(*list)) : Number();
}

// clang-format off
constexpr Field kFields[] = {
    {.name = "id", .kind = kNumber,
     .meaning = "the call's number in its recording",
     .is_never_absent = true,
     .number = [](const Subject& s) { return Exactly(s.call.id); }},
    {.name = "method", .kind = kName,
     .meaning = "what was called: `UpdateAsync`, `MemoryQueue.ReadAsync`",
     .is_never_absent = true,
     .set = [](const Subject& s) { return SetOf(s.call.method); },
     .names = &capture::NamesOf<v1::Method>},
    {.name = "store", .kind = kText,
     .meaning = "the store's name; of a message, its topic",
     .texts = [](const Subject& s) { return One(s.call.store); }},
    {.name = "scope", .kind = kText,
     .meaning = "as the script gave it; none: it gave none, which is `global`",
     .texts = [](const Subject& s) { return One(s.call.scope); }},
    {.name = "kind", .kind = kName,
     .meaning = "of the store: `standard`, `ordered`, `memory_queue`",
     .json = "store_kind", .is_never_absent = true,
     .set = [](const Subject& s) { return SetOf(s.call.store_kind); },
     .names = &capture::NamesOf<v1::StoreKind>},
    {.name = "all_scopes", .kind = kFlag,
     .meaning = "the store was opened with AllScopes",
     .is_never_absent = true,
     .set = [](const Subject& s) { return SetOfFlag(s.call.all_scopes); },
     .names = &FlagNames},
    {.name = "key", .kind = kText,
     .meaning = "the key, or one of the keys of a BatchGetAsync",
     .texts = [](const Subject& s) {
       return Texts{.first = s.call.key,
                    .others = s.call.list == nullptr ? nullptr : &s.call.list->keys()};
     }},
    {.name = "cache", .kind = kName,
     .meaning = "UseCache: `unset`, `true`, `false`",
     .json = "use_cache", .is_never_absent = true,
     .set = [](const Subject& s) { return SetOf(s.call.use_cache); },
     .names = &capture::NamesOf<v1::UseCache>},
    {.name = "prefix", .kind = kText,
     .meaning = "of a listing: what names or keys begin with",
     .json = "list.prefix",
     .texts = [](const Subject& s) {
       return s.call.list == nullptr ? Texts() : One(s.call.list->prefix());
     }},
    {.name = "page_size", .kind = kNumber,
     .meaning = "of a listing: how many items a page was to have",
     .json = "list.page_size",
     .number = [](const Subject& s) {
       return OfList(s, &v1::ListArguments::has_page_size,
                     [](const v1::ListArguments& list) { return list.page_size(); });
     }},
    {.name = "page", .kind = kNumber,
     .meaning = "of a listing: which page it was; 1 is the first",
     .json = "list.page",
     .number = [](const Subject& s) {
       return OfList(s, &v1::ListArguments::has_page,
                     [](const v1::ListArguments& list) { return list.page(); });
     }},
    {.name = "items", .kind = kNumber,
     .meaning = "of a listing: how many items came back",
     .json = "list.items",
     .number = [](const Subject& s) {
       return OfList(s, &v1::ListArguments::has_items,
                     [](const v1::ListArguments& list) { return list.items(); });
     }},

    {.name = "caller", .kind = kText,
     .meaning = "module or script that called",
     .texts = [](const Subject& s) { return One(s.call.caller); }},
    {.name = "source", .kind = kText,
     .meaning = "name of the server or tool that called",
     .json = "source_name",
     .texts = [](const Subject& s) {
       return OfSource(s, [](const v1::Source& source) -> std::string_view { return source.name(); });
     }},
    {.name = "source_id", .kind = kNumber,
     .meaning = "its number in the recording",
     .number = [](const Subject& s) { return NotZero(s.call.source); }},
    {.name = "role", .kind = kText,
     .meaning = "what the scenario made of it: `server`, `\"new server\"`",
     .texts = [](const Subject& s) {
       return OfSource(s, [](const v1::Source& source) -> std::string_view { return source.role(); });
     }},
    {.name = "job", .kind = kText,
     .meaning = "its JobId",
     .texts = [](const Subject& s) {
       return OfSource(s, [](const v1::Source& source) -> std::string_view { return source.job_id(); });
     }},
    {.name = "place", .kind = kNumber,
     .meaning = "its place's id",
     .number = [](const Subject& s) {
       return s.source == nullptr ? Number() : NotZero(s.source->place_id());
     }},
    {.name = "universe", .kind = kNumber,
     .meaning = "its universe's id",
     .number = [](const Subject& s) {
       return s.source == nullptr ? Number() : NotZero(s.source->universe_id());
     }},
    {.name = "players", .kind = kNumber,
     .meaning = "players on it when the call was recorded",
     .number = [](const Subject& s) {
       return s.source == nullptr || !s.source->has_players() ? Number()
                                                              : Exactly(s.source->players());
     }},
    {.name = "library", .kind = kText,
     .meaning = "name of the library that it runs",
     .texts = [](const Subject& s) {
       return OfSource(s, [](const v1::Source& source) -> std::string_view {
         return source.library().name();
       });
     }},
    {.name = "library_version", .kind = kText,
     .meaning = "that library's version",
     .texts = [](const Subject& s) {
       return OfSource(s, [](const v1::Source& source) -> std::string_view {
         return source.library().version();
       });
     }},

    {.name = "step", .kind = kText,
     .meaning = "name of the step that the call belongs to; none: to no step",
     .is_of_step = true,
     .texts = [](const Subject& s) {
       return OfStep(s, [](const v1::StepBegin& step) -> std::string_view { return step.name(); });
     }},
    {.name = "step_id", .kind = kNumber,
     .meaning = "that step's number in the recording",
     .is_of_step = true,
     .number = [](const Subject& s) {
       return s.step == nullptr ? Number() : NotZero(s.step->id());
     }},
    {.name = "sample", .kind = kNumber,
     .meaning = "which time the step was done; 1 is the first",
     .is_of_step = true,
     .number = [](const Subject& s) {
       return s.step == nullptr ? Number() : NotZero(s.step->sample());
     }},
    {.name = "scenario", .kind = kText,
     .meaning = "what the step is part of",
     .is_of_step = true,
     .texts = [](const Subject& s) {
       return OfStep(s, [](const v1::StepBegin& step) -> std::string_view { return step.scenario(); });
     }},
    {.name = "subject", .kind = kText,
     .meaning = "whose traffic the step is: the library under test",
     .is_of_step = true,
     .texts = [](const Subject& s) {
       return OfStep(s, [](const v1::StepBegin& step) -> std::string_view { return step.subject(); });
     }},

    {.name = "outcome", .kind = kName,
     .meaning = "`ok`, `cancelled`, `dropped`, `rejected`, `failed`, `unknown`, `in_flight`",
     .is_never_absent = true,
     .set = [](const Subject& s) { return SetOf(s.call.outcome); },
     .names = &capture::NamesOf<v1::Outcome>},
    {.name = "error", .kind = kText,
     .meaning = "all of its error's text",
     .json = "error_text",
     .texts = [](const Subject& s) { return One(s.call.error_text); }},
    {.name = "error_code", .kind = kNumber,
     .meaning = "its error's number: 301",
     .number = [](const Subject& s) { return NotZero(s.call.error_code); }},
    {.name = "error_name", .kind = kText,
     .meaning = "its error's name: `StandardReadGameServerThrottled`",
     .texts = [](const Subject& s) { return One(s.call.error_name); }},
    {.name = "served_by", .kind = kName,
     .meaning = "who answered its read: `backend`, `local_copy`, `unknown`",
     .is_never_absent = true,
     .set = [](const Subject& s) { return SetOf(s.call.served_by); },
     .names = &capture::NamesOf<v1::ServedBy>},
    {.name = "fault", .kind = kNumber,
     .meaning = "number of the fault that was injected into it; none: no fault was",
     .number = [](const Subject& s) { return NotZero(s.call.fault); }},

    {.name = "issued", .kind = kTime,
     .meaning = "when it was called, since the recording began",
     .json = "issued_ns", .is_never_absent = true,
     .number = [](const Subject& s) { return Exactly(Ns(s.call.issued)); }},
    {.name = "admitted", .kind = kTime,
     .meaning = "when it was let through, or left its last queue",
     .json = "admitted_ns",
     .number = [](const Subject& s) { return NsOf(s.call.admitted); }},
    {.name = "completed", .kind = kTime,
     .meaning = "when it was answered",
     .json = "completed_ns",
     .number = [](const Subject& s) { return NsOf(s.call.completed); }},
    {.name = "time", .kind = kTime,
     .meaning = "when it was answered, or called if it was not",
     .is_never_absent = true,
     .number = [](const Subject& s) { return Exactly(Ns(s.call.completed.value_or(s.call.issued))); }},
    {.name = "queue", .kind = kTime,
     .meaning = "how long it waited in queues; none: the capture does not tell whether it did",
     .json = "queued_ns",
     .number = &QueueOf},
    {.name = "service", .kind = kTime,
     .meaning = "how long the answer took beside queues",
     .number = &ServiceOf},
    {.name = "latency", .kind = kTime,
     .meaning = "from call to answer: queue and service",
     .number = &LatencyOf},
    {.name = "queued", .kind = kNumber,
     .meaning = "how many queues it waited in; none: the capture does not tell",
     .json = "times_queued",
     .number = [](const Subject& s) {
       return TellsQueue(s.call) ? Exactly(s.call.times_queued) : Number();
     }},

    {.name = "runs", .kind = kNumber,
     .meaning = "how often an UpdateAsync's function ran",
     .json = "transform_runs", .is_never_absent = true,
     .number = [](const Subject& s) { return Exactly(s.call.transform_runs.size()); }},
    {.name = "transform", .kind = kName,
     .meaning = "what its last run gave: `value`, `nil`, `raised`, `\"none\"` (it never ended); "
                "none: it did not run",
     .set = [](const Subject& s) {
       return s.call.transform_runs.empty() ? 0 : SetOf(s.call.transform_runs.back().outcome);
     },
     .names = &capture::NamesOf<v1::TransformOutcome>},
    {.name = "read_size", .kind = kSize,
     .meaning = "bytes of JSON that were read; none: no value",
     .json = "read_bytes",
     .number = [](const Subject& s) { return SizeOf(s.call.read); }},
    {.name = "written_size", .kind = kSize,
     .meaning = "bytes of JSON that were sent",
     .json = "written_bytes",
     .number = [](const Subject& s) { return SizeOf(s.call.written); }},
    {.name = "read_hash", .kind = kHash,
     .meaning = "hash of what was read",
     .number = [](const Subject& s) { return HashOf(s.call.read); }},
    {.name = "written_hash", .kind = kHash,
     .meaning = "hash of what was sent",
     .number = [](const Subject& s) { return HashOf(s.call.written); }},
    {.name = "unchanged", .kind = kFlag,
     .meaning = "it sent just what it had read; none: one of the two is not known",
     .set = &UnchangedOf,
     .names = &FlagNames},
    {.name = "read_value", .kind = kText,
     .meaning = "the JSON that was read, in captures that keep values",
     .texts = [](const Subject& s) { return ValueOf(s.call.read); }},
    {.name = "written_value", .kind = kText,
     .meaning = "the JSON that was sent, in captures that keep values",
     .texts = [](const Subject& s) { return ValueOf(s.call.written); }},
    {.name = "version", .kind = kText,
     .meaning = "version of the key that was read or made",
     .texts = [](const Subject& s) { return One(s.call.version); }},
    {.name = "spends", .kind = kName,
     .meaning = "a request type that it spends; it can be two: `StandardRead`",
     .json = "budgets",
     .set = &SpendsOf,
     .names = &capture::NamesOf<v1::RequestType>},
    {.name = "budget", .kind = kNumber,
     .meaning = "the lowest budget that was seen of those that it spends",
     .number = [](const Subject& s) { return LowestOf(s, true, true); }},
    {.name = "budget_before", .kind = kNumber,
     .meaning = "the same, when it was called",
     .number = [](const Subject& s) { return LowestOf(s, true, false); }},
    {.name = "budget_after", .kind = kNumber,
     .meaning = "the same, when it was answered",
     .number = [](const Subject& s) { return LowestOf(s, false, true); }},
    {.name = "taken", .kind = kNumber,
     .meaning = "tokens that it took of all of them",
     .is_never_absent = true,
     .number = [](const Subject& s) {
       return Exactly(Int128{s.call.budgets[0].taken} + s.call.budgets[1].taken);
     }},
};
// clang-format on

}  // namespace

std::string_view NameOf(FieldKind kind) {
  switch (kind) {
    case kText:
      return "text";
    case kName:
      return "name";
    case kFlag:
      return "flag";
    case kNumber:
      return "number";
    case kTime:
      return "time";
    case kSize:
      return "size";
    case kHash:
      return "hash";
  }
  return "text";
}

std::span<const Field> AllFields() { return kFields; }

const Field* FindField(std::string_view name) {
  const auto found = std::ranges::find(kFields, name, &Field::name);
  return found == std::end(kFields) ? nullptr : &*found;
}

}  // namespace dstap::filter
