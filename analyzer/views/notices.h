// What was said while it was recorded: queue warnings, what libraries print, warn and raise.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/timeline/timeline_visitor.h"

namespace dstap::analyzer {

// Different texts that are kept of one kind; the others are counted together.
inline constexpr size_t kNoticeTextsMax = 100;

struct NoticeCount {
  NoticeKind kind = NoticeKind::kUnknown;
  std::string text;         // Empty: all that are not kept.
  std::string source_name;  // Of the first that said it. Empty: it is about no source.
  uint64_t count = 0;
};

// The key at the end of a queue warning is left out: warnings of one kind are counted together.
//
// Limits: kNoticeTextsMax texts of each kind.
class NoticesView final : public TimelineVisitor {
 public:
  OutsideSteps NeedsOutsideSteps() const override { return OutsideSteps::kNothing; }
  void OnNotice(const Notice& notice) override;

  // By kind, then as they first came; what is not kept comes last.
  std::vector<NoticeCount> Table() const;

 private:
  static constexpr size_t kKinds = static_cast<size_t>(NoticeKind::kRecorder) + 1;

  struct Kind {
    std::vector<NoticeCount> texts;
    std::map<std::string, size_t, std::less<>> places;  // In `texts`.
    uint64_t others = 0;
  };

  std::array<Kind, kKinds> kinds_;
};

}  // namespace dstap::analyzer
