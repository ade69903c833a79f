#include "proto/capture/sealed_chunk.h"

namespace dstap::capture {

void SealedChunk::Take(ChunkBuilder& chunk) {
  body.resize(chunk.ByteSize());
  chunk.WriteTo(body.data());
  rows = chunk.rows();
  first = chunk.first();
  last = chunk.last();
  chunk.Clear();
}

void SealedChunk::Clear() {
  body.clear();
  marks.clear();
  standing.clear();
  rows = 0;
  first = last = {};
  reported_calls = reported_rows = 0;
  triggers = false;
}

void SealedChunk::ApplyTo(StandingRows& follower) const {
  for (const StandingRow& row : standing) follower.Apply(row.time, row.row);
  CallRecord call;
  for (const Mark& mark : marks) {
    call.id = mark.id;
    call.outcome = mark.in_flight ? v1::OUTCOME_IN_FLIGHT : v1::OUTCOME_OK;
    follower.Apply(call);
  }
}

}  // namespace dstap::capture
