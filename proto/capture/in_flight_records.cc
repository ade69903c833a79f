#include "proto/capture/in_flight_records.h"

#include <algorithm>

namespace dstap::capture {

void InFlightRecords::BeginRecording() {
  const auto begin = static_cast<std::ptrdiff_t>(stay_.size());
  for (const auto& [id, number] : open_) stay_.push_back(number);
  std::sort(stay_.begin() + begin, stay_.end());
  open_.clear();
}

void InFlightRecords::Done() { BeginRecording(); }

}  // namespace dstap::capture
