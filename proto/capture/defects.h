// All that can be wrong with a capture, or normal and worth knowing. `dstap verify --list` prints
// this table; docs/capture-format.md has the same one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dstap::capture {

enum class DefectId : uint8_t {
  // The file is damaged: the reader stops there, or passes over it.
  kNotACapture,
  kFraming,
  kChecksum,
  kChunkLimit,
  kChunkBody,
  kMissingChunks,
  kChunkOrder,
  kEndTotals,
  kAfterEnd,
  // Every byte is as it was written, and a rule is broken.
  kNoHeader,
  kHeaderRepeated,
  kHeaderVersion,
  kCallIdZero,
  kCallIdRepeated,
  kCallTimes,
  kSourceIdZero,
  kStepIdZero,
  kStepIdRepeated,
  kStepEnd,
  kFaultIdZero,
  kIndex,
  // Nothing is broken.
  kSourceUnknown,
  kUnknownFields,
  kLoss,
  kUnfinished,
  kTornTail,
  kCount,  // Not one.
};

enum class DefectSeverity : uint8_t {
  kNote,    // Normal, worth knowing.
  kLoss,    // Everything worked as it should and something is still missing.
  kRule,    // A line of capture.proto that says "must" is broken: `dstap verify` exits with 1.
  kDamage,  // Bytes are wrong or gone: exit status 3.
};

struct DefectInfo {
  DefectId id;
  std::string_view name;  // Printed, documented, never used again for something else.
  DefectSeverity severity;
  std::string_view meaning;  // A sentence, and what to do.
};

inline constexpr std::array kDefects = {
    DefectInfo{DefectId::kNotACapture, "not-a-capture", DefectSeverity::kDamage,
               "The file does not begin as a capture does; if it is one, its first bytes are "
               "lost."},
    DefectInfo{DefectId::kFraming, "framing", DefectSeverity::kDamage,
               "Bytes stand where a chunk should, or its lengths disagree; what is good around "
               "it is still read."},
    DefectInfo{DefectId::kChecksum, "checksum", DefectSeverity::kDamage,
               "A chunk's bytes are not those that were written; its records are passed over and "
               "counts are lower bounds; the rest is still read."},
    DefectInfo{DefectId::kChunkLimit, "chunk-limit", DefectSeverity::kDamage,
               "A chunk claims more than any writer may put into one; it is passed over."},
    DefectInfo{DefectId::kChunkBody, "chunk-body", DefectSeverity::kDamage,
               "A chunk is as it was written and its columns contradict each other; report the "
               "tool that wrote it."},
    DefectInfo{DefectId::kMissingChunks, "missing-chunks", DefectSeverity::kDamage,
               "Chunk numbers have a gap: a part of the file was cut out; look for a better copy."},
    DefectInfo{DefectId::kChunkOrder, "chunk-order", DefectSeverity::kDamage,
               "A chunk stands twice or out of order and is passed over; join captures only whole, "
               "one after the other."},
    DefectInfo{DefectId::kEndTotals, "end-totals", DefectSeverity::kDamage,
               "The End row counts other records than stand before it; records are gone or were "
               "added; look for a better copy."},
    DefectInfo{DefectId::kAfterEnd, "after-end", DefectSeverity::kDamage,
               "Records follow the End row of their recording; report the tool that wrote them."},
    DefectInfo{DefectId::kNoHeader, "no-header", DefectSeverity::kRule,
               "A recording's first row is not a Header, so clock and rule profile are unknown; "
               "report the tool that wrote it."},
    DefectInfo{DefectId::kHeaderRepeated, "header-repeated", DefectSeverity::kRule,
               "A recording has a second Header; a new recording begins with the magic number."},
    DefectInfo{DefectId::kHeaderVersion, "header-version", DefectSeverity::kRule,
               "A Header does not say its format version; it is read as version 1."},
    DefectInfo{DefectId::kCallIdZero, "call-id-zero", DefectSeverity::kRule,
               "A call has no id, so its records cannot be told apart from another's."},
    DefectInfo{DefectId::kCallIdRepeated, "call-id-repeated", DefectSeverity::kRule,
               "A call's id comes again after its outcome: two calls share it, or one was counted "
               "twice."},
    DefectInfo{DefectId::kCallTimes, "call-times", DefectSeverity::kRule,
               "A call was answered before it was admitted, or is in flight and has an answer; its "
               "durations mean nothing."},
    DefectInfo{DefectId::kSourceIdZero, "source-id-zero", DefectSeverity::kRule,
               "A Source has no id, so no call can name it."},
    DefectInfo{DefectId::kStepIdZero, "step-id-zero", DefectSeverity::kRule,
               "A step has no id, so its end cannot name it."},
    DefectInfo{DefectId::kStepIdRepeated, "step-id-repeated", DefectSeverity::kRule,
               "A step's id was used before: two steps share it."},
    DefectInfo{DefectId::kStepEnd, "step-end", DefectSeverity::kRule,
               "A step ends that never began or has ended already."},
    DefectInfo{DefectId::kFaultIdZero, "fault-id-zero", DefectSeverity::kRule,
               "An InjectedFault has no id, so the call it changed cannot name it."},
    DefectInfo{DefectId::kIndex, "index", DefectSeverity::kRule,
               "The index points to where no such chunk is; readers that read from the front do "
               "not use it."},
    DefectInfo{DefectId::kSourceUnknown, "source-unknown", DefectSeverity::kNote,
               "A record names a source that no Source row described before; it is shown by its "
               "number."},
    DefectInfo{DefectId::kUnknownFields, "unknown-fields", DefectSeverity::kNote,
               "A newer dstap wrote fields that this one does not know; they are passed over; "
               "update to see them."},
    DefectInfo{DefectId::kLoss, "loss", DefectSeverity::kLoss,
               "The recorder says that records are missing; counts are lower bounds."},
    DefectInfo{DefectId::kUnfinished, "unfinished", DefectSeverity::kLoss,
               "No End row: still recording, or the recorder died; the last calls may miss their "
               "outcome."},
    DefectInfo{DefectId::kTornTail, "torn-tail", DefectSeverity::kLoss,
               "The last chunk was not written whole; no call in it was answered, so nothing that "
               "a caller saw is missing."},
};

// An id without an entry, or an entry without a sentence, does not build.
static_assert(kDefects.size() == static_cast<size_t>(DefectId::kCount));
static_assert(std::ranges::none_of(kDefects, [](const DefectInfo& d) {
  return d.name.empty() || d.meaning.size() < 20 || &d - kDefects.data() != static_cast<int>(d.id);
}));

constexpr const DefectInfo& InfoOf(DefectId id) { return kDefects[static_cast<size_t>(id)]; }

}  // namespace dstap::capture
