#include "analyzer/diff/subject_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyzer/render/sections.h"
#include "proto/base/escape.h"

namespace dstap::analyzer {
namespace {

// A leading "@" is a package's scope.
std::string_view BaseName(const SubjectRows& subject) {
  const std::string_view name = subject.name;
  const size_t at = name.rfind('@');
  if (at == std::string_view::npos || at == 0) return name;
  const std::string_view version = name.substr(at + 1);
  return subject.version.empty() || subject.version == version ? name.substr(0, at) : name;
}

// Null unless exactly one of the subjects that `is_left` tells has this base name.
template <typename IsLeft>
const SubjectRows* OnlyOne(const StepsTable& table, std::string_view base, IsLeft is_left) {
  const SubjectRows* only = nullptr;
  for (const SubjectRows& subject : table.subjects) {
    if (BaseName(subject) != base || !is_left(subject)) continue;
    if (only != nullptr) return nullptr;
    only = &subject;
  }
  return only;
}

}  // namespace

std::vector<SubjectPair> PairSubjects(const StepsTable& before, const StepsTable& after) {
  if (before.subjects.size() == 1 && after.subjects.size() == 1) {
    return {{&before.subjects[0], &after.subjects[0]}};
  }
  std::map<const SubjectRows*, const SubjectRows*> partner;  // Both ways.
  const auto is_left = [&partner](const SubjectRows& s) { return !partner.contains(&s); };
  const auto pair = [&partner](const SubjectRows& a, const SubjectRows& b) {
    partner[&a] = &b;
    partner[&b] = &a;
  };
  for (const SubjectRows& a : before.subjects) {
    const SubjectRows* same = FindSubject(after, {a.name, a.version});
    if (same != nullptr) pair(a, *same);
  }
  for (const SubjectRows& a : before.subjects) {
    if (!is_left(a)) continue;
    const SubjectRows* of_before = OnlyOne(before, BaseName(a), is_left);
    const SubjectRows* of_after = OnlyOne(after, BaseName(a), is_left);
    if (of_before != nullptr && of_after != nullptr) pair(*of_before, *of_after);
  }
  std::vector<SubjectPair> pairs;
  for (const SubjectRows& a : before.subjects) {
    pairs.push_back({&a, is_left(a) ? nullptr : partner.at(&a)});
  }
  for (const SubjectRows& b : after.subjects) {
    if (is_left(b)) pairs.push_back({nullptr, &b});
  }
  return pairs;
}

std::string PairLabel(const SubjectPair& pair) {
  if (pair.before == nullptr) return SubjectLabel(*pair.after);
  if (pair.after == nullptr) return SubjectLabel(*pair.before);
  const std::string before = SubjectLabel(*pair.before);
  const std::string after = SubjectLabel(*pair.after);
  if (before == after) return before;
  const bool is_one_name = pair.before->name == pair.after->name &&
                           pair.before->is_model == pair.after->is_model &&
                           !pair.after->version.empty() && !pair.before->version.empty();
  return fmt::format("{} -> {}", before, is_one_name ? Escape(pair.after->version) : after);
}

}  // namespace dstap::analyzer
