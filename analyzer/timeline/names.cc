#include "analyzer/timeline/names.h"

#include "proto/capture/names.h"

namespace dstap::analyzer {

// The numbers are the schema's, and so are the names.
std::string_view NameOf(Method method) { return capture::NameOf(static_cast<v1::Method>(method)); }

std::string_view NameOf(StoreKind kind) {
  return capture::NameOf(static_cast<v1::StoreKind>(kind));
}

std::string_view NameOf(UseCache use_cache) {
  return capture::NameOf(static_cast<v1::UseCache>(use_cache));
}

std::string_view NameOf(ServedBy served_by) {
  return capture::NameOf(static_cast<v1::ServedBy>(served_by));
}

std::string_view NameOf(Outcome outcome) {
  return capture::NameOf(static_cast<v1::Outcome>(outcome));
}

std::string_view NameOf(TransformOutcome outcome) {
  return capture::NameOf(static_cast<v1::TransformOutcome>(outcome));
}

std::string_view NameOf(RequestType type) {
  return capture::NameOf(static_cast<v1::RequestType>(type));
}

std::string_view NameOf(ValueEncoding encoding) {
  return capture::NameOf(static_cast<v1::ValueEncoding>(encoding));
}

std::string_view NameOf(ClockKind clock) {
  return capture::NameOf(static_cast<v1::ClockKind>(clock));
}

std::string_view NameOf(NoticeKind kind) {
  return capture::NameOf(static_cast<v1::NoticeKind>(kind));
}

std::string_view NameOf(FaultKind kind) {
  return capture::NameOf(static_cast<v1::FaultKind>(kind));
}

std::string_view NameOf(LossReason reason) {
  return capture::NameOf(static_cast<v1::LossReason>(reason));
}

std::string_view NameOf(EndReason reason) {
  return capture::NameOf(static_cast<v1::EndReason>(reason));
}

std::string_view NameOf(FileState state) {
  switch (state) {
    case FileState::kClosed:
      return "closed";
    case FileState::kUnfinished:
      return "unfinished";
    case FileState::kDamaged:
      return "damaged";
    case FileState::kUnreadable:
      return "unreadable";
  }
  return "unknown";
}

}  // namespace dstap::analyzer
