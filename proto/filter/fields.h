// What a filter can ask of a call: a table with a row each.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "proto/filter/subject.h"

namespace dstap::filter {

__extension__ using Int128 = __int128;

enum class FieldKind : uint8_t { kText, kName, kFlag, kNumber, kTime, kSize, kHash };

// As docs/filter.md names it: "text".
std::string_view NameOf(FieldKind kind);

// One text, or several. Empty: it is absent.
struct Texts {
  std::string_view first;
  const google::protobuf::RepeatedPtrField<std::string>* others = nullptr;  // Null: none.
};

// Nanoseconds, bytes or a count.
struct Number {
  enum class Known : uint8_t {
    kNo,
    kYes,
    kAtLeast,  // It is still growing.
  };
  Int128 value = 0;
  Known known = Known::kNo;
};

// The numbers of one or two names, a bit each. 0: it is absent.
using NameSet = uint64_t;

struct Field {
  std::string_view name;
  FieldKind kind;
  std::string_view meaning;  // For a table of docs/filter.md.
  // What `dstap cat --format jsonl` calls it, when that is another word.
  std::string_view json = {};
  bool is_of_step = false;
  bool is_never_absent = false;

  // The one of its kind is set: names and flags share one, as do all numbers.
  Texts (*texts)(const Subject& subject) = nullptr;
  NameSet (*set)(const Subject& subject) = nullptr;
  Number (*number)(const Subject& subject) = nullptr;
  // Of names and flags, by number; an empty one is none. At most 64.
  std::span<const std::string_view> (*names)() = nullptr;
};

// In the order of docs/filter.md.
std::span<const Field> AllFields();

// Null: there is none of this name.
const Field* FindField(std::string_view name);

}  // namespace dstap::filter
