#include "analyzer/commands/rewrite_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "analyzer/commands/output_file.h"
#include "proto/base/file_source.h"

namespace dstap::analyzer {
namespace {

class StreamSink final : public ByteSink {
 public:
  explicit StreamSink(std::ostream& out) : out_(out) {}

  Status Append(std::string_view bytes) override {
    if (!out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
      return {ErrorCode::kWrite, "standard output cannot be written; is the reader gone?"};
    }
    size_ += bytes.size();
    return {};
  }
  Status Truncate(uint64_t /*size*/) override {
    return {ErrorCode::kWrite, "standard output cannot be cut back"};
  }
  Status Sync() override {
    out_.flush();
    return out_ ? Status() : Status(ErrorCode::kWrite, "standard output cannot be written");
  }
  uint64_t size() const override { return size_; }

 private:
  std::ostream& out_;
  uint64_t size_ = 0;
};

}  // namespace

Result<RewriteOutput> RewriteOutput::Create(const std::string& path, bool may_replace,
                                            std::span<const std::string> inputs, Streams streams) {
  RewriteOutput output(streams);
  if (path == "-") {
    output.stream_ = std::make_unique<StreamSink>(streams.out);
    return output;
  }
  for (const std::string& input : inputs) {
    if (IsSameFile(input, path)) {
      return Status(ErrorCode::kUsage,
                    fmt::format("{}: is what is read; name another output", path));
    }
  }
  DSTAP_TRY_ASSIGN(
      WholeFile file,
      WholeFile::Create(path, {.if_exists = may_replace ? FileSink::IfExists::kReplace
                                                        : FileSink::IfExists::kRefuse}));
  output.file_.emplace(std::move(file));
  return output;
}

Status RewriteOutput::Finish() { return file_ ? file_->Publish() : stream_->Sync(); }

Result<capture::OpenSource> OpenTwice(const std::string& path) {
  std::error_code error;
  const auto what = std::filesystem::status(path, error);
  if (std::filesystem::exists(what) && !std::filesystem::is_directory(what) &&
      !std::filesystem::is_regular_file(what)) {
    return Status(ErrorCode::kUsage,
                  fmt::format("{}: is read twice, and is not a regular file", path));
  }
  DSTAP_TRY(FileSource::Open(path).status());
  return capture::OpenSource([path]() -> Result<std::unique_ptr<ByteSource>> {
    DSTAP_TRY_ASSIGN(std::unique_ptr<ByteSource> source, FileSource::Open(path));
    return source;
  });
}

Status NamedInput(const std::string& file, Status status) {
  if (status.code() == ErrorCode::kWrite || status.code() == ErrorCode::kUsage ||
      status.message().starts_with(file + ": ")) {
    return status;
  }
  return std::move(status).At(file);
}

std::string Counted(uint64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace dstap::analyzer
