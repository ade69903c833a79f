#include "tests/support/case_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "proto/capture/capture_writer.h"
#include "tests/support/case_words.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CallRecord;

template <typename T>
std::optional<T> Find(const std::vector<std::pair<std::string_view, T>>& table,
                      std::string_view name) {
  for (const auto& [known, value] : table) {
    if (known == name) return value;
  }
  return std::nullopt;
}

const std::vector<std::pair<std::string_view, v1::Method>>& Methods() {
  static const std::vector<std::pair<std::string_view, v1::Method>> methods = {
      {"Get", v1::METHOD_GET_ASYNC},
      {"Set", v1::METHOD_SET_ASYNC},
      {"Update", v1::METHOD_UPDATE_ASYNC},
      {"Increment", v1::METHOD_INCREMENT_ASYNC},
      {"Remove", v1::METHOD_REMOVE_ASYNC},
      {"GetSorted", v1::METHOD_GET_SORTED_ASYNC},
      {"ListKeys", v1::METHOD_LIST_KEYS_ASYNC},
      {"ListStores", v1::METHOD_LIST_DATA_STORES_ASYNC},
      {"ListVersions", v1::METHOD_LIST_VERSIONS_ASYNC},
      {"Publish", v1::METHOD_PUBLISH_ASYNC},
  };
  return methods;
}

struct Entry {
  Time time{};
  std::variant<CallRecord, v1::Row> what;
};

class Parser {
 public:
  explicit Parser(std::string_view name) : name_(name) {}

  Result<CaseText> Parse(std::string_view text) {
    for (size_t line = 1; !text.empty(); ++line) {
      const size_t end = std::min(text.find('\n'), text.size());
      line_ = line;
      const Status status = ParseLine(text.substr(0, end));
      if (!status.ok()) {
        return Status(ErrorCode::kUsage, fmt::format("{}:{}: {}", name_, line, status.message()));
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    DSTAP_TRY(Finish());
    return std::move(case_);
  }

 private:
  static Status Wrong(std::string what) { return {ErrorCode::kUsage, std::move(what)}; }

  Status ParseLine(std::string_view line) {
    while (line.ends_with(' ')) line.remove_suffix(1);
    if (line.empty()) return {};
    if (line.starts_with('#')) {
      if (case_.title.empty() && line.size() > 2) case_.title = line.substr(2);
      return {};
    }
    if (line.starts_with("unseen ")) {
      case_.unseen.emplace_back(line.substr(7));
      return {};
    }
    DSTAP_TRY_ASSIGN(std::vector<std::string> words, WordsOf(line));
    const std::string& first = words[0];
    if (first == "expect") return Expect(words);
    if (first == "rules" || first == "clock") return SetHeader(words);
    if (first == "server") return AddServer(words);
    if (first == "recording") {
      DSTAP_TRY(Finish());
      header_ = v1::Header();
      return {};
    }
    if (const auto time = TimeOf(first); time && words.size() >= 2 && words[1] == "end") {
      return EndRecording(*time, words);
    }
    const auto source = sources_.find(first);
    if (source == sources_.end()) return Wrong("\"" + first + "\" is no server and no directive");
    source_ = source->second;
    return AddRecords(words);
  }

  Status Expect(const std::vector<std::string>& words) {
    if (words.size() < 2) return Wrong("expect needs a rule");
    case_.expected.push_back(
        {.rule = words[1], .words = {words.begin() + 2, words.end()}, .line = line_});
    return {};
  }

  Status SetHeader(const std::vector<std::string>& words) {
    if (words.size() != 2) return Wrong(words[0] + " needs one word");
    if (words[0] == "rules") header_.set_rule_profile(words[1] == "live" ? "" : words[1]);
    if (words[0] == "clock") {
      header_.set_clock(words[1] == "virtual" ? v1::CLOCK_KIND_VIRTUAL : v1::CLOCK_KIND_WALL);
    }
    has_rules_ = has_rules_ || words[0] == "rules";
    return {};
  }

  Status AddServer(const std::vector<std::string>& words) {
    if (words.size() < 2) return Wrong("server needs a name");
    v1::Row row;
    v1::Source& source = *row.mutable_source();
    const uint32_t id = static_cast<uint32_t>(sources_.size()) + 1;
    source.set_id(id);
    source.set_name(words[1]);
    source.set_role("server");
    for (size_t i = 2; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      const std::string key = words[i].substr(0, equals);
      const std::string value = equals == std::string::npos ? "" : words[i].substr(equals + 1);
      if (key == "players" && NumberOf(value)) {
        source.set_players(static_cast<uint32_t>(*NumberOf(value)));
      } else if (key == "role") {
        source.set_role(value);
      } else if (key == "library") {
        source.mutable_library()->set_name(value);
      } else {
        return Wrong("\"" + words[i] + "\" says nothing about a server");
      }
    }
    sources_[words[1]] = id;
    entries_.push_back({Time(0), std::move(row)});
    return {};
  }

  Status EndRecording(Time time, const std::vector<std::string>& words) {
    static const std::vector<std::pair<std::string_view, v1::EndReason>> reasons = {
        {"closed", v1::END_REASON_CLOSED}, {"signal", v1::END_REASON_SIGNAL}};
    const auto reason = Find(reasons, words.size() > 2 ? words[2] : "closed");
    if (!reason) return Wrong("no such end");
    end_ = std::pair(time, *reason);
    return {};
  }

  // "S1 0.00 [x61 +0.51] WHAT ...".
  Status AddRecords(std::vector<std::string> words) {
    if (words.size() < 3) return Wrong("a server's line needs a time and what happened");
    auto time = TimeOf(words[1]);
    if (!time) return Wrong("\"" + words[1] + "\" is no time");
    size_t at = 2;
    uint64_t times = 1;
    Time step{};
    if (words.size() > 4 && words[2].starts_with('x') && words[3].starts_with('+')) {
      const auto count = NumberOf(std::string_view(words[2]).substr(1));
      const auto each = TimeOf(std::string_view(words[3]).substr(1));
      if (!count || !each) return Wrong("a repetition is \"xTIMES +SECONDS\"");
      times = *count;
      step = *each;
      at = 4;
    }
    words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at));
    for (uint64_t i = 1; i <= times; ++i) {
      std::vector<std::string> these = words;
      for (std::string& word : these) Replace(word, "{i}", std::to_string(i));
      DSTAP_TRY(AddRecord(*time + step * static_cast<int64_t>(i - 1), these, i));
    }
    return {};
  }

  Status AddRecord(Time time, const std::vector<std::string>& words, uint64_t round) {
    if (const auto method = Find(Methods(), words[0])) return AddCall(time, *method, words, round);
    v1::Row row;
    if (words[0] == "begin") {
      DSTAP_TRY(BeginStep(words, row));
    } else if (words[0] == "end") {
      DSTAP_TRY(EndStep(words, row));
    } else if (words[0] == "players" && words.size() == 2 && NumberOf(words[1])) {
      row.mutable_player_count()->set_source(source_);
      row.mutable_player_count()->set_players(static_cast<uint32_t>(*NumberOf(words[1])));
    } else if (words[0] == "budget") {
      DSTAP_TRY(SampleBudget(words, row));
    } else if (words[0] == "limits") {
      DSTAP_TRY(SetLimits(words, row));
    } else if (words[0] == "notice" && words.size() == 3) {
      static const std::vector<std::pair<std::string_view, v1::NoticeKind>> kinds = {
          {"queue", v1::NOTICE_KIND_QUEUE_WARNING},
          {"output", v1::NOTICE_KIND_OUTPUT},
          {"warning", v1::NOTICE_KIND_WARNING},
          {"error", v1::NOTICE_KIND_ERROR}};
      const auto kind = Find(kinds, words[1]);
      if (!kind) return Wrong("no such kind of notice");
      row.mutable_notice()->set_source(source_);
      row.mutable_notice()->set_kind(*kind);
      row.mutable_notice()->set_text(words[2]);
    } else if (words[0] == "crash") {
      row.mutable_injected_fault()->set_id(++faults_);
      row.mutable_injected_fault()->set_source(source_);
      row.mutable_injected_fault()->set_kind(v1::FAULT_KIND_SERVER_CRASH);
    } else if (words[0] == "clock" && words.size() == 3) {
      const auto own = TimeOf(words[1]);
      const auto calendar = TimeOf(words[2]);
      if (!own || !calendar) return Wrong("a clock is \"clock OWN CALENDAR\", in seconds");
      row.mutable_clock_snapshot()->set_source(source_);
      row.mutable_clock_snapshot()->set_source_ns(own->count());
      row.mutable_clock_snapshot()->set_unix_ns(capture::kVirtualEpochUnixNs + calendar->count());
    } else {
      return Wrong("\"" + words[0] + "\" is nothing that happens on a server");
    }
    entries_.push_back({time, std::move(row)});
    return {};
  }

  Status BeginStep(const std::vector<std::string>& words, v1::Row& row) {
    if (words.size() < 2) return Wrong("a step needs a name");
    v1::StepBegin& step = *row.mutable_step_begin();
    step.set_id(++steps_);
    step.set_source(source_);
    step.set_name(words[1].substr(0, words[1].find('#')));
    step.set_sample(1);
    open_steps_[{source_, words[1]}] = steps_;
    for (size_t i = 2; i < words.size(); ++i) {
      if (words[i].starts_with("about=")) {
        Place place;
        DSTAP_TRY(ParsePlace(std::string_view(words[i]).substr(6), place));
        v1::StoreKey& about = *step.add_about();
        about.set_store(place.store);
        about.set_scope(place.scope);
        about.set_key(place.key);
      } else if (words[i].starts_with("subject=")) {
        step.set_subject(words[i].substr(8));
      } else {
        return Wrong("\"" + words[i] + "\" says nothing about a step");
      }
    }
    return {};
  }

  Status EndStep(const std::vector<std::string>& words, v1::Row& row) {
    const auto found = words.size() < 3 ? open_steps_.end() : open_steps_.find({source_, words[1]});
    if (found == open_steps_.end()) return Wrong("an end is \"end STEP ok\" of an open step");
    row.mutable_step_end()->set_id(found->second);
    row.mutable_step_end()->set_ok(words[2] == "ok");
    if (words.size() > 3) row.mutable_step_end()->set_text(words[3]);
    open_steps_.erase(found);
    return {};
  }

  Status SampleBudget(const std::vector<std::string>& words, v1::Row& row) {
    v1::BudgetSample& sample = *row.mutable_budget_sample();
    sample.set_source(source_);
    sample.set_asked(true);
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      const auto type = RequestTypeOf(std::string_view(words[i]).substr(0, equals));
      const auto visible = equals == std::string::npos
                               ? std::nullopt
                               : NumberOf(std::string_view(words[i]).substr(equals + 1));
      if (!type || !visible) return Wrong("a budget is TYPE=NUMBER");
      v1::Budget& budget = *sample.add_budgets();
      budget.set_type(*type);
      budget.set_visible(*visible);
    }
    return {};
  }

  Status SetLimits(const std::vector<std::string>& words, v1::Row& row) {
    v1::Limits& limits = *row.mutable_limits();
    limits.set_source(source_);
    limits.set_reason("SetRateLimitForRequestType");
    for (size_t i = 1; i < words.size(); ++i) {
      const std::string_view word = words[i];
      const size_t equals = std::min(word.find('='), word.size() - 1);
      const size_t plus = std::min(word.find('+'), word.size() - 1);
      const auto type = RequestTypeOf(word.substr(0, equals));
      const auto base = NumberOf(word.substr(equals + 1, plus - equals - 1));
      const auto each = NumberOf(word.substr(plus + 1));
      if (!type || !base || !each) return Wrong("a limit is TYPE=BASE+EACH");
      v1::Limit& limit = *limits.add_limits();
      limit.set_type(*type);
      limit.set_base_per_minute(static_cast<uint32_t>(*base));
      limit.set_per_player_per_minute(static_cast<uint32_t>(*each));
    }
    return {};
  }

  struct Place {
    v1::StoreKind kind = v1::STORE_KIND_STANDARD;
    std::string store;
    std::string scope;
    std::string key;
  };

  // "[ordered:]STORE[(SCOPE)][/KEY]"; without a scope the key stands behind the last slash.
  static Status ParsePlace(std::string_view text, Place& place) {
    constexpr std::string_view kOrdered = "ordered:";
    if (text.starts_with(kOrdered)) {
      place.kind = v1::STORE_KIND_ORDERED;
      text.remove_prefix(kOrdered.size());
    }
    const size_t scope = text.find('(');
    const size_t close = text.find(')');
    if (scope != std::string_view::npos && close != std::string_view::npos && scope < close) {
      place.store = text.substr(0, scope);
      place.scope = text.substr(scope + 1, close - scope - 1);
      text.remove_prefix(close + 1);
      if (text.starts_with('/')) place.key = text.substr(1);
      return {};
    }
    const size_t slash = text.rfind('/');
    place.store = text.substr(0, slash);
    if (slash != std::string_view::npos) place.key = text.substr(slash + 1);
    return place.store.empty() ? Wrong("a store needs a name") : Status();
  }

  // These are about a whole store.
  static bool IsListing(v1::Method method) {
    return method == v1::METHOD_GET_SORTED_ASYNC || method == v1::METHOD_LIST_KEYS_ASYNC ||
           method == v1::METHOD_LIST_DATA_STORES_ASYNC;
  }

  std::string_view Keep(std::string text) { return strings_.emplace_back(std::move(text)); }

  // "LABEL[:BYTES[+MORE]]", or JSON.
  Status ParseValue(std::string_view text, uint64_t round, std::optional<capture::ValueInfo>& out) {
    capture::ValueInfo value;
    if (text.starts_with('{')) {
      value.value = Keep(std::string(text));
      value.bytes = text.size();
      value.encoding = v1::VALUE_ENCODING_JSON;
      header_.set_values_recorded(true);
    } else {
      const size_t colon = text.find(':');
      value.bytes = 100;
      if (colon != std::string_view::npos) {
        const std::string_view size = text.substr(colon + 1);
        const size_t plus = size.find('+');
        const auto bytes = NumberOf(size.substr(0, plus));
        const auto more = plus == std::string_view::npos ? 0 : NumberOf(size.substr(plus + 1));
        if (!bytes || !more) return Wrong("a value's size is a number of bytes");
        value.bytes = *bytes + *more * (round - 1);
        text = text.substr(0, colon);
      }
    }
    value.hash = HashOf(text);
    out = value;
    return {};
  }

  Status AddCall(Time time, v1::Method method, const std::vector<std::string>& words,
                 uint64_t round) {
    CallRecord call;
    call.id = ++calls_;
    call.source = source_;
    call.method = method;
    call.issued = time;
    if (words.size() < 4) return Wrong("a call is METHOD PLACE -> RESULT");
    Place place;
    DSTAP_TRY(ParsePlace(words[1], place));
    if (IsListing(method) && !place.key.empty()) place.store += "/" + std::exchange(place.key, "");
    if (method == v1::METHOD_GET_SORTED_ASYNC) place.kind = v1::STORE_KIND_ORDERED;
    if (method == v1::METHOD_PUBLISH_ASYNC) place.kind = v1::STORE_KIND_TOPIC;
    call.store = Keep(place.store);
    call.scope = Keep(place.scope.empty() ? "global" : place.scope);
    call.key = Keep(place.key);
    call.store_kind = place.kind;
    call.served_by = v1::SERVED_BY_BACKEND;
    Time took = std::chrono::milliseconds(50);
    for (size_t i = 2; i < words.size(); ++i) {
      DSTAP_TRY(AddToCall(words, i, round, call, took));
    }
    if (call.outcome == v1::OUTCOME_UNKNOWN) return Wrong("a call needs a result");
    const bool is_open = call.outcome == v1::OUTCOME_IN_FLIGHT;
    if (!is_open) {
      call.completed = time + took;
      if (call.outcome != v1::OUTCOME_DROPPED && call.outcome != v1::OUTCOME_REJECTED) {
        call.admitted = time + call.queued;
      }
    }
    entries_.push_back({is_open ? time : *call.completed, call});
    return {};
  }

  // One word behind the place; takes the text behind an error too.
  Status AddToCall(const std::vector<std::string>& words, size_t& i, uint64_t round,
                   CallRecord& call, Time& took) {
    static const std::vector<std::pair<std::string_view, v1::Outcome>> outcomes = {
        {"ok", v1::OUTCOME_OK},
        {"no-write", v1::OUTCOME_CANCELLED},
        {"err", v1::OUTCOME_FAILED},
        {"dropped", v1::OUTCOME_DROPPED},
        {"rejected", v1::OUTCOME_REJECTED},
        {"open", v1::OUTCOME_IN_FLIGHT}};
    const std::string& word = words[i];
    const size_t equals = word.find('=');
    const std::string_view value =
        equals == std::string::npos ? "" : std::string_view(word).substr(equals + 1);
    if (word == "->") return {};
    if (const auto outcome = Find(outcomes, word)) {
      call.outcome = *outcome;
      const bool has_error = call.outcome == v1::OUTCOME_FAILED ||
                             call.outcome == v1::OUTCOME_DROPPED ||
                             call.outcome == v1::OUTCOME_REJECTED;
      if (!has_error) return {};
      if (i + 1 >= words.size()) return Wrong("an error needs its text");
      return SetError(words[++i], call);
    }
    if (word == "nocache") {
      call.use_cache = v1::USE_CACHE_FALSE;
    } else if (word == "local") {
      call.served_by = v1::SERVED_BY_LOCAL_COPY;
    } else if (word == "unsaid") {
      call.served_by = v1::SERVED_BY_UNKNOWN;
    } else if (word.starts_with("caller=")) {
      call.caller = Keep(std::string(value));
    } else if (word.starts_with("version=")) {
      call.version = Keep(std::string(value));
    } else if (word.starts_with("read=")) {
      return ParseValue(value, round, call.read);
    } else if (word.starts_with("wrote=")) {
      return ParseValue(value, round, call.written);
    } else if (word.starts_with("queued=") && TimeOf(value.substr(0, value.size() - 1))) {
      call.queued = *TimeOf(value.substr(0, value.size() - 1));
      call.times_queued = 1;
    } else if (word.starts_with("page=") || word.starts_with("size=") ||
               word.starts_with("items=")) {
      return AddToList(word, value, call);
    } else if (word.starts_with("runs=")) {
      return SetRuns(value, call);
    } else if (word.ends_with('s') && TimeOf(std::string_view(word).substr(0, word.size() - 1))) {
      took = *TimeOf(std::string_view(word).substr(0, word.size() - 1));
    } else {
      return Wrong("\"" + word + "\" says nothing about a call");
    }
    return {};
  }

  Status SetError(const std::string& text, CallRecord& call) {
    call.error_text = Keep(text);
    const size_t colon = text.find(':');
    if (colon == std::string::npos) return {};
    const std::string_view front = call.error_text.substr(0, colon);
    if (const auto code = NumberOf(front)) {
      call.error_code = static_cast<uint32_t>(*code);
    } else if (front.find(' ') == std::string_view::npos) {
      call.error_name = front;
    }
    return {};
  }

  Status AddToList(std::string_view word, std::string_view value, CallRecord& call) {
    const auto number = NumberOf(value);
    if (!number) return Wrong("pages, sizes and items are numbers");
    if (call.list == nullptr) call.list = &lists_.emplace_back();
    v1::ListArguments& list = lists_.back();
    if (word.starts_with("page=")) list.set_page(static_cast<uint32_t>(*number));
    if (word.starts_with("size=")) list.set_page_size(static_cast<uint32_t>(*number));
    if (word.starts_with("items=")) list.set_items(static_cast<uint32_t>(*number));
    return {};
  }

  Status SetRuns(std::string_view text, CallRecord& call) {
    static const std::vector<std::pair<std::string_view, v1::TransformOutcome>> known = {
        {"value", v1::TRANSFORM_OUTCOME_VALUE},
        {"nil", v1::TRANSFORM_OUTCOME_NIL},
        {"raised", v1::TRANSFORM_OUTCOME_RAISED}};
    std::vector<capture::TransformRun>& runs = runs_.emplace_back();
    while (!text.empty()) {
      const size_t comma = std::min(text.find(','), text.size());
      const auto outcome = Find(known, text.substr(0, comma));
      if (!outcome) return Wrong("a transform's run is value, nil or raised");
      runs.push_back({.outcome = *outcome, .started = call.issued});
      text.remove_prefix(std::min(comma + 1, text.size()));
    }
    call.transform_runs = runs;
    return {};
  }

  // Writes the recording as its recorder would have: a call when it was answered.
  Status Finish() {
    if (entries_.empty()) return {};
    if (!has_rules_) header_.set_rule_profile("2026");
    if (header_.clock() == v1::CLOCK_KIND_UNKNOWN) header_.set_clock(v1::CLOCK_KIND_WALL);
    header_.set_start_unix_ns(capture::kVirtualEpochUnixNs);
    std::ranges::stable_sort(entries_, {}, &Entry::time);
    DSTAP_TRY_ASSIGN(
        capture::CaptureWriter writer,
        capture::CaptureWriter::Create(std::make_unique<StringSink>(case_.bytes), header_));
    for (Entry& entry : entries_) {
      if (const auto* call = std::get_if<CallRecord>(&entry.what)) {
        writer.Add(*call);
      } else {
        writer.AddRow(entry.time, std::move(std::get<v1::Row>(entry.what)));
      }
    }
    DSTAP_TRY(writer.Commit());
    if (end_) DSTAP_TRY(writer.Close(end_->first, end_->second));
    entries_.clear();
    sources_.clear();
    open_steps_.clear();
    end_.reset();
    has_rules_ = false;
    calls_ = steps_ = faults_ = 0;
    return {};
  }

  std::string name_;
  size_t line_ = 0;
  CaseText case_;
  v1::Header header_;
  bool has_rules_ = false;
  std::map<std::string, uint32_t> sources_;
  uint32_t source_ = 0;  // Of the line.
  std::map<std::pair<uint32_t, std::string>, uint64_t> open_steps_;
  std::vector<Entry> entries_;
  std::optional<std::pair<Time, v1::EndReason>> end_;
  uint64_t calls_ = 0;
  uint64_t steps_ = 0;
  uint64_t faults_ = 0;
  // What records refer to.
  std::deque<std::string> strings_;
  std::deque<std::vector<capture::TransformRun>> runs_;
  std::deque<v1::ListArguments> lists_;
};

}  // namespace

Result<CaseText> ParseCase(std::string_view text, std::string_view name) {
  return Parser(name).Parse(text);
}

}  // namespace dstap::test
