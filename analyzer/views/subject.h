// Whose traffic a step is.
#pragma once

#include <string>

#include "analyzer/timeline/timeline.h"

namespace dstap::analyzer {

// The library under test, or what stands for it. Everything of one id is taken together, whichever
// capture it comes from.
struct SubjectId {
  std::string name;
  std::string version;  // Empty: not known.

  friend auto operator<=>(const SubjectId&, const SubjectId&) = default;
};

// The name that the step gives, else its source's library or the source itself.
inline SubjectId SubjectOf(const Step& step) {
  const Source& source = *step.source;
  const Library* named = source.NamedLibrary();
  return {.name = !step.subject.empty() ? step.subject
                  : named != nullptr    ? named->name
                                        : source.name,
          .version = source.LibraryVersion()};
}

}  // namespace dstap::analyzer
