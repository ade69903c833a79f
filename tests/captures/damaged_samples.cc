// What is done to each capture of captures/damaged.
#include "proto/capture/capture_text.h"
#include "proto/capture/format.h"
#include "tests/captures/made_captures.h"
#include "tests/support/captures.h"
#include "tests/support/sinks.h"

namespace dstap::test {
namespace {

using capture::CaptureWriter;
using capture::DefectId;

// Adds records written as text.
std::function<void(CaptureWriter&)> Add(const std::string& records) {
  return [records](CaptureWriter& writer) {
    const auto bytes = capture::FromText("record { header {} }" + records);
    DSTAP_CHECK(bytes.ok());
    const ReadResult read = ReadCapture(*bytes);
    for (const OwnedRecord& record : read.records) {
      if (record.row.has_header()) continue;
      if (record.is_call) {
        writer.Add(record.call);
      } else {
        writer.AddRow(record.time, record.row);
      }
    }
  };
}

std::function<void(CaptureWriter&)> AddRow(const std::function<void(v1::Row&)>& fill) {
  return [fill](CaptureWriter& writer) {
    v1::Row row;
    fill(row);
    writer.AddRow(Time(std::chrono::seconds(4)), std::move(row));
  };
}

// Changes the records of a chunk; its checksum is right again.
std::function<std::string(std::string)> Rewrite(size_t chunk,
                                                const std::function<void(v1::Records&)>& change) {
  return [=](const std::string& bytes) {
    Parts parts(bytes);
    change(parts.chunks[chunk]);
    return parts.Bytes();
  };
}

// Puts `with` in place of a chunk.
std::function<std::string(std::string)> Replace(size_t chunk, const std::string& with) {
  return [=](std::string bytes) {
    const std::vector<size_t> begins = ChunkBegins(bytes);
    return bytes.replace(begins[chunk], begins[chunk + 1] - begins[chunk], with);
  };
}

std::string Twice(std::string bytes) {
  const std::vector<size_t> begins = ChunkBegins(bytes);
  return bytes.insert(begins[4], bytes.substr(begins[3], begins[4] - begins[3]));
}

std::string Garbage(std::string bytes) {
  return bytes.insert(ChunkBegins(bytes)[3], "not a chunk\n");
}

std::string Flip(std::string bytes) {
  bytes[ChunkBegins(bytes)[4] - 3] ^= 1;
  return bytes;
}

std::string CommentBehind(const std::string& bytes) {
  v1::Records records;
  records.set_tick_ns(1000);
  *records.add_row() = AComment("one more");
  return bytes + AChunk(6, records.SerializeAsString());
}

std::string WrongIndex(const std::string& bytes) {
  // By hand: Parts would put it right.
  const std::vector<size_t> begins = ChunkBegins(bytes);
  v1::Capture capture;
  DSTAP_CHECK(capture.ParseFromString(bytes));
  v1::Records records = capture.chunk(5).records();
  v1::IndexEntry& entry =
      *records.mutable_row(records.row_size() - 1)->mutable_index()->mutable_entry(3);
  entry.set_offset(entry.offset() + 1);
  return bytes.substr(0, begins[5]) + AChunk(5, records.SerializeAsString());
}

std::string TooLarge() {
  return AChunk(3, "-", [](capture::ChunkFrame& f) { f.raw_size = capture::kChunkBytesMax + 1; });
}

}  // namespace

std::vector<DamagedSample> DamagedSamples() {
  using R = v1::Records;
  return {
      {DefectId::kNotACapture,
       {"not-a-capture"},
       0,
       0,
       "its first byte was cut off",
       nullptr,
       [](const std::string& bytes) { return bytes.substr(1); }},
      {DefectId::kFraming,
       {"framing"},
       3,
       0,
       "a line of text was put in front of chunk 3",
       nullptr,
       Garbage},
      {DefectId::kChecksum,
       {"checksum"},
       3,
       0,
       "a bit near the end of chunk 3 was flipped",
       nullptr,
       Flip},
      {DefectId::kChunkLimit,
       {"chunk-limit"},
       3,
       0,
       "in place of chunk 3 stands one that claims a byte more than the limit",
       nullptr,
       Replace(3, TooLarge())},
      {DefectId::kChunkBody,
       {"chunk-body"},
       3,
       0,
       "in place of chunk 3 stands one with a right checksum over bytes that are no records",
       nullptr,
       Replace(3, AChunk(3, "\xFF\xFF"))},
      {DefectId::kMissingChunks,
       {"missing-chunks"},
       3,
       0,
       "chunk 3 was cut out",
       nullptr,
       Replace(3, "")},
      {DefectId::kChunkOrder, {"chunk-order"}, 3, 0, "chunk 3 was put in twice", nullptr, Twice},
      {DefectId::kEndTotals,
       {"end-totals"},
       5,
       0,
       "the End row was made to count a call more",
       nullptr,
       Rewrite(5, [](R& r) { r.mutable_row(0)->mutable_end()->set_call_records(4); })},
      {DefectId::kAfterEnd,
       {"after-end"},
       6,
       0,
       "a chunk with a Comment was put behind the End",
       nullptr,
       CommentBehind},
      {DefectId::kNoHeader,
       {"no-header"},
       0,
       1,
       "its Header was replaced by a Comment",
       nullptr,
       Rewrite(0, [](R& r) { *r.mutable_row(0) = AComment("no header"); })},
      {DefectId::kHeaderRepeated,
       {"header-repeated"},
       5,
       8,
       "a second Header in chunk 5",
       AddRow([](v1::Row& row) { row.mutable_header()->set_format_version(1); }),
       nullptr},
      {DefectId::kHeaderVersion,
       {"header-version"},
       0,
       1,
       "its format_version was taken out",
       nullptr,
       Rewrite(0, [](R& r) { r.mutable_row(0)->mutable_header()->clear_format_version(); })},
      {DefectId::kCallIdZero,
       {"call-id-zero"},
       5,
       8,
       "a call with id 0 in chunk 5",
       Add("record { call { source: 1 method: METHOD_GET_ASYNC outcome: OUTCOME_OK } }"),
       nullptr},
      {DefectId::kCallIdRepeated,
       {"call-id-repeated"},
       5,
       8,
       "call 2 once more in chunk 5",
       Add("record { call { id: 2 source: 1 method: METHOD_GET_ASYNC outcome: OUTCOME_OK } }"),
       nullptr},
      {DefectId::kCallTimes,
       {"call-times"},
       5,
       8,
       "a call in chunk 5 that was answered before it was admitted",
       Add("record { call { id: 4 source: 1 method: METHOD_GET_ASYNC outcome: OUTCOME_OK "
           "issued_ns: 3500000000 admitted_ns: 3600000000 completed_ns: 3550000000 } }"),
       nullptr},
      {DefectId::kSourceIdZero,
       {"source-id-zero"},
       5,
       8,
       "a Source with id 0 in chunk 5",
       Add("record { source { name: \"nobody\" } }"),
       nullptr},
      {DefectId::kStepIdZero,
       {"step-id-zero"},
       5,
       8,
       "a step with id 0 in chunk 5",
       Add("record { step_begin { source: 1 name: \"save\" } }"),
       nullptr},
      {DefectId::kStepIdRepeated,
       {"step-id-repeated"},
       5,
       8,
       "step 1 begins again in chunk 5",
       Add("record { step_begin { id: 1 source: 1 name: \"save\" } }"),
       nullptr},
      {DefectId::kStepEnd,
       {"step-end"},
       5,
       8,
       "a step ends in chunk 5 that never began",
       Add("record { step_end { id: 9 ok: true } }"),
       nullptr},
      {DefectId::kFaultIdZero,
       {"fault-id-zero"},
       5,
       8,
       "a fault with id 0 in chunk 5",
       Add("record { injected_fault { kind: FAULT_KIND_DROP source: 1 rule: \"drop\" } }"),
       nullptr},
      {DefectId::kIndex,
       {"index"},
       5,
       9,
       "the index was made to point a byte behind chunk 3",
       nullptr,
       WrongIndex},
      {DefectId::kSourceUnknown,
       {"source-unknown"},
       5,
       8,
       "a call in chunk 5 names source 7, which no row describes",
       Add("record { call { id: 4 source: 7 method: METHOD_GET_ASYNC outcome: OUTCOME_OK "
           "issued_ns: 3500000000 completed_ns: 3550000000 } }"),
       nullptr},
      {DefectId::kUnknownFields,
       {"unknown-fields"},
       6,
       0,
       "a Comment in chunk 5 has a field of the future",
       AddRow([](v1::Row& row) {
         v1::Comment& comment = *row.mutable_comment();
         comment.set_text("from the future");
         comment.GetReflection()->MutableUnknownFields(&comment)->AddVarint(1000, 1);
       }),
       nullptr},
      {DefectId::kLoss,
       {"loss"},
       5,
       8,
       "its recorder said that the disk was full for a while",
       Add("record { loss { reason: LOSS_REASON_WRITE calls: 2 rows: 1 "
           "text: \"No space left on device\" } }"),
       nullptr},
      {DefectId::kUnfinished,
       {"unfinished"},
       4,
       0,
       "it was cut behind chunk 4",
       nullptr,
       Replace(5, "")},
      {DefectId::kTornTail,
       {"torn-tail", "unfinished"},
       4,
       0,
       "it was cut in the middle of chunk 5",
       nullptr,
       [](const std::string& bytes) { return bytes.substr(0, ChunkBegins(bytes)[5] + 40); }},
  };
}

std::string BytesOf(const DamagedSample& sample) {
  // Records up to the end of each chunk but the last; a comment says where they are in the twin.
  static const std::vector<size_t> kChunkEnds = {1, 3, 5, 6, 7};
  const auto base = capture::FromText(ReadProjectFile("captures/damaged/base.txtpb"));
  DSTAP_CHECK(base.ok());
  const ReadResult read = ReadCapture(*base);
  std::string bytes;
  auto writer =
      CaptureWriter::Create(std::make_unique<StringSink>(bytes), read.records.front().row.header());
  DSTAP_CHECK(writer.ok());
  size_t written = 0;
  for (const OwnedRecord& record : read.records) {
    if (record.row.has_end()) {
      if (sample.add) sample.add(*writer);
      DSTAP_CHECK(writer->Close(record.time, record.row.end().reason()).ok());
      break;
    }
    if (record.is_call) {
      writer->Add(record.call);
    } else if (!record.row.has_header()) {
      writer->AddRow(record.time, record.row);
    }
    if (std::ranges::count(kChunkEnds, ++written) > 0) DSTAP_CHECK(writer->Commit().ok());
  }
  return sample.damage ? sample.damage(bytes) : bytes;
}

}  // namespace dstap::test
