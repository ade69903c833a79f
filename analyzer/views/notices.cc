#include "analyzer/views/notices.h"

namespace dstap::analyzer {
namespace {

// "...fewer requests.Key = Player_1": up to the key.
std::string_view WithoutKey(const Notice& notice) {
  constexpr std::string_view kKey = "Key = ";
  if (notice.kind != NoticeKind::kQueueWarning) return notice.text;
  const size_t at = notice.text.find(kKey);
  return at == std::string_view::npos ? notice.text : notice.text.substr(0, at + kKey.size() - 1);
}

}  // namespace

void NoticesView::OnNotice(const Notice& notice) {
  Kind& kind = kinds_[static_cast<size_t>(notice.kind)];
  const std::string_view text = WithoutKey(notice);
  if (const auto found = kind.places.find(text); found != kind.places.end()) {
    ++kind.texts[found->second].count;
  } else if (kind.texts.size() < kNoticeTextsMax) {
    kind.places.emplace(text, kind.texts.size());
    kind.texts.push_back({.kind = notice.kind,
                          .text = std::string(text),
                          .source_name = notice.source == nullptr ? "" : notice.source->name,
                          .count = 1});
  } else {
    ++kind.others;
  }
}

std::vector<NoticeCount> NoticesView::Table() const {
  std::vector<NoticeCount> table;
  for (size_t i = 0; i < kKinds; ++i) {
    table.insert(table.end(), kinds_[i].texts.begin(), kinds_[i].texts.end());
    if (kinds_[i].others > 0) {
      table.push_back({.kind = static_cast<NoticeKind>(i), .count = kinds_[i].others});
    }
  }
  return table;
}

}  // namespace dstap::analyzer
