#include "analyzer/rewrite/merged_header.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace dstap::analyzer {
namespace {

// Each once, in the order of the recordings. All empty: empty.
template <typename Get>
std::string Joined(const std::vector<MergeRecording>& recordings, std::string_view empty, Get get) {
  std::vector<std::string> texts;
  for (const MergeRecording& recording : recordings) {
    const std::string& text = get(recording.header);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  if (texts.size() == 1) return texts.front();
  std::string joined;
  for (const std::string& text : texts) {
    if (text.empty() && empty.empty()) continue;
    if (!joined.empty()) joined += ", ";
    joined += text.empty() ? empty : text;
  }
  return joined;
}

bool HasOption(const v1::Header& header, const v1::Option& option) {
  return std::ranges::any_of(header.options(), [&option](const v1::Option& other) {
    return other.name() == option.name() && other.value() == option.value();
  });
}

}  // namespace

v1::Header MergedHeader(const std::vector<MergeRecording>& recordings, int64_t start_unix_ns) {
  const v1::Header& first = recordings.front().header;
  v1::Header header;
  header.set_clock(first.clock());
  header.set_start_unix_ns(start_unix_ns);
  header.set_title(Joined(recordings, "", [](const v1::Header& h) { return h.title(); }));
  header.set_rule_profile(
      Joined(recordings, "live", [](const v1::Header& h) { return h.rule_profile(); }));
  header.set_backend(Joined(recordings, "", [](const v1::Header& h) { return h.backend(); }));
  const auto all = [&recordings](auto holds) {
    return std::ranges::all_of(recordings,
                               [&](const MergeRecording& each) { return holds(each.header); });
  };
  if (all([&first](const v1::Header& h) {
        return h.has_seed() == first.has_seed() && h.seed() == first.seed();
      }) &&
      first.has_seed()) {
    header.set_seed(first.seed());
  }
  for (const v1::Option& option : first.options()) {
    if (all([&option](const v1::Header& h) { return HasOption(h, option); })) {
      *header.add_options() = option;
    }
  }
  header.set_values_recorded(!all([](const v1::Header& h) { return !h.values_recorded(); }));
  return header;
}

v1::End MergedEnd(const std::vector<MergeRecording>& recordings) {
  v1::End end;
  end.set_reason(v1::END_REASON_CLOSED);
  for (const MergeRecording& recording : recordings) {
    if (recording.end && recording.end->reason() == v1::END_REASON_CLOSED) continue;
    end.set_reason(recording.end ? recording.end->reason() : v1::END_REASON_UNKNOWN);
    std::string text = recording.name + ": ";
    text += recording.end ? recording.end->text() : "it had no end";
    end.set_text(text);
    break;
  }
  return end;
}

}  // namespace dstap::analyzer
