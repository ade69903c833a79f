// Whose traffic on one side of a comparison is whose on the other.
#pragma once

#include <vector>

#include "analyzer/views/steps.h"

namespace dstap::analyzer {

// One of the two may be null: the subject is only on the other side.
struct SubjectPair {
  const SubjectRows* before = nullptr;
  const SubjectRows* after = nullptr;
};

// The only subject of a side belongs to the only one of the other, whatever their names. Else equal
// name and version; then, of what is left, a name that each side has once ("lib@1.2.0" is version
// 1.2.0 of "lib"). In the order of `before`, then what only `after` has.
//
// Ownership: refers to both tables.
std::vector<SubjectPair> PairSubjects(const StepsTable& before, const StepsTable& after);

// "lib 1.1.0 -> 1.2.0", "lib 1.1.0 -> other 3"; without arrow where both sides say the same.
std::string PairLabel(const SubjectPair& pair);

}  // namespace dstap::analyzer
