// A script's records as the bytes of a file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "proto/capture/capture_writer.h"
#include "tests/support/capture_script.h"
#include "tests/support/sinks.h"

namespace dstap::test {

// Each Header row begins a recording; an End row closes it. Every record is a commit of its own, so
// that each stands in its own chunk.
inline std::string BytesOf(const CaptureScript& script) {
  std::string bytes;
  std::optional<capture::CaptureWriter> writer;
  script.ForEach([&](const capture::Record& record) {
    if (record.row != nullptr && record.row->has_header()) {
      auto created =
          capture::CaptureWriter::Create(std::make_unique<StringSink>(bytes), record.row->header());
      DSTAP_CHECK(created.ok());
      writer.emplace(*std::move(created));
      return;
    }
    DSTAP_CHECK(writer.has_value());
    Status status;
    if (record.call != nullptr) {
      writer->Add(*record.call);
      status = writer->Commit();
    } else if (record.row->has_end()) {
      status = writer->Close(record.time, record.row->end().reason());
    } else {
      writer->AddRow(record.time, *record.row);
      status = writer->Commit();
    }
    DSTAP_CHECK(status.ok());
  });
  return bytes;
}

}  // namespace dstap::test
