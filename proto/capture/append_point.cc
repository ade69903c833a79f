#include "proto/capture/append_point.h"

#include <optional>
#include <string>
#include <utility>

#include "proto/capture/capture_reader.h"

namespace dstap::capture {

Result<uint64_t> AppendPoint(std::unique_ptr<ByteSource> source) {
  auto reader = CaptureReader::Open(std::move(source), CaptureReader::OnDamage::kStop);
  if (!reader.ok()) return reader.status();
  for (;;) {
    const auto record = reader->Next();
    if (!record.ok()) {
      if (record.status().code() != ErrorCode::kDamaged) return record.status();
      return Status(ErrorCode::kDamaged,
                    record.status().message() +
                        "; nothing is appended to a damaged capture: save what "
                        "is good with \"dstap recover\", or name another file");
    }
    if (!record->has_value()) return reader->bytes_read() - reader->torn_bytes();
  }
}

}  // namespace dstap::capture
