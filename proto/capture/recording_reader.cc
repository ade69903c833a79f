#include "proto/capture/recording_reader.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace dstap::capture {
namespace {

Status WithRemedy(const Status& status) {
  if (status.code() != ErrorCode::kDamaged) return status;
  return {ErrorCode::kDamaged,
          status.message() + "; \"dstap recover FILE -o OUT\" keeps what is good"};
}

}  // namespace

Result<RecordingReader> RecordingReader::Open(const OpenSource& open) {
  DSTAP_TRY_ASSIGN(std::unique_ptr<ByteSource> source, open());
  DSTAP_TRY_ASSIGN(CaptureReader reader,
                   CaptureReader::Open(std::move(source), CaptureReader::OnDamage::kStop));
  return RecordingReader(std::move(reader));
}

Result<std::optional<RecordingReader::Item>> RecordingReader::Next() {
  Result<std::optional<Record>> next = reader_.Next();
  if (!next.ok()) return WithRemedy(next.status());
  if (!*next) return std::optional<Item>();
  Item item{.record = **next};
  const bool is_first = std::exchange(chunk_, reader_.chunk_offset()) != reader_.chunk_offset();
  if (is_first && reader_.chunk_sequence() == 0) {
    ++recordings_;
    item.begins = item.record.row != nullptr && item.record.row->has_header();
    if (!item.begins) {
      return Status(ErrorCode::kDamaged,
                    fmt::format("byte {}: a recording does not begin with its header; \"dstap "
                                "verify FILE\" lists all that is wrong",
                                reader_.chunk_offset()));
    }
  }
  return std::optional(item);
}

Status RecordingReader::CheckKnown() const {
  if (reader_.unknown_fields() == 0) return {};
  return {ErrorCode::kUnsupported,
          fmt::format("a newer dstap wrote {} fields that dstap " DSTAP_VERSION
                      " does not know and would lose; update dstap",
                      reader_.unknown_fields())};
}

}  // namespace dstap::capture
