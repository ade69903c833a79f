// Success or a sentence for a person. Our code does not throw; libraries that do are met at the
// border.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "proto/base/check.h"

namespace dstap {

enum class ErrorCode : uint8_t {
  kOk = 0,
  kUsage,        // The caller asked for something that makes no sense.
  kNotFound,     // A named file, store or step is not there.
  kDamaged,      // Bytes are there and wrong: checksum, size or message does not hold.
  kUnsupported,  // A newer format than this program knows.
  kLimit,        // A stated limit would be passed.
  kRead,         // The operating system refused to read; the message carries errno's text.
  kWrite,        // The operating system refused to write; likewise.
  kRun,          // Something else that was started (a command, a library) did not work.
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // OK
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  const std::string& message() const { return message_; }

  // "where: what". Each layer adds where it stood, never what the layer below already said.
  Status At(std::string_view where) && {
    if (!ok()) message_.insert(0, std::string(where) + ": ");
    return std::move(*this);
  }

  friend bool operator==(const Status&, const Status&) = default;

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

// A T or a Status that is not OK.
template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that `return value;` and `return Status(...)` both work.
  Result(T value) : value_(std::move(value)) {}         // NOLINT
  Result(Status status) : status_(std::move(status)) {  // NOLINT
    DSTAP_CHECK(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& operator*() & { return Value(); }
  const T& operator*() const& {
    DSTAP_CHECK(ok());
    return *value_;
  }
  T&& operator*() && { return std::move(Value()); }
  T* operator->() { return &Value(); }
  const T* operator->() const { return &**this; }

 private:
  T& Value() {
    DSTAP_CHECK(ok());
    return *value_;
  }

  std::optional<T> value_;
  Status status_;
};

}  // namespace dstap

// Returns from the calling function when `expr` is not OK.
#define DSTAP_TRY(expr)                                                                    \
  do {                                                                                     \
    if (::dstap::Status dstap_status_ = (expr); !dstap_status_.ok()) return dstap_status_; \
  } while (false)

// DSTAP_TRY_ASSIGN(auto file, Open(path));
#define DSTAP_TRY_ASSIGN(decl, expr) \
  DSTAP_TRY_ASSIGN_(DSTAP_CONCAT_(dstap_result_, __LINE__), decl, expr)
#define DSTAP_TRY_ASSIGN_(result, decl, expr) \
  auto result = (expr);                       \
  if (!result.ok()) return result.status();   \
  decl = *std::move(result)
#define DSTAP_CONCAT_(a, b) DSTAP_CONCAT_INNER_(a, b)
#define DSTAP_CONCAT_INNER_(a, b) a##b
