// What the numbers of the schema's enums are called wherever a person meets them: in reports, in
// JSON, in filters. Names are never changed.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "dstap/v1/capture.pb.h"

namespace dstap::capture {

// By number. Empty: no number of the schema. The one of 0 is "unknown", but for UseCache.
template <typename Enum>
std::span<const std::string_view> NamesOf();

template <>
std::span<const std::string_view> NamesOf<v1::Method>();
template <>
std::span<const std::string_view> NamesOf<v1::StoreKind>();
template <>
std::span<const std::string_view> NamesOf<v1::UseCache>();
template <>
std::span<const std::string_view> NamesOf<v1::ServedBy>();
template <>
std::span<const std::string_view> NamesOf<v1::Outcome>();
template <>
std::span<const std::string_view> NamesOf<v1::TransformOutcome>();
template <>
std::span<const std::string_view> NamesOf<v1::RequestType>();
template <>
std::span<const std::string_view> NamesOf<v1::ValueEncoding>();
template <>
std::span<const std::string_view> NamesOf<v1::ClockKind>();
template <>
std::span<const std::string_view> NamesOf<v1::NoticeKind>();
template <>
std::span<const std::string_view> NamesOf<v1::FaultKind>();
template <>
std::span<const std::string_view> NamesOf<v1::LossReason>();
template <>
std::span<const std::string_view> NamesOf<v1::EndReason>();

// "UpdateAsync", "MemoryQueue.ReadAsync". The name of 0 for numbers that this program does not
// know.
template <typename Enum>
std::string_view NameOf(Enum value) {
  const std::span<const std::string_view> names = NamesOf<Enum>();
  const auto number = static_cast<size_t>(value);
  return number < names.size() && !names[number].empty() ? names[number] : names[0];
}

}  // namespace dstap::capture
