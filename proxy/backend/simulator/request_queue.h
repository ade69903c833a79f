// One of a server's queues of requests that wait for a token.
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/backend/backend.h"

namespace dstap::proxy {

// Requests of several types can share a queue's places (writes and removals do). They leave in the
// order they came within their type: a type whose bucket is dry does not hold up the other (U).
//
// Threads: not thread-safe.
// Limits:  holds as many requests as it was made for.
class RequestQueue {
 public:
  explicit RequestQueue(size_t length) : length_(length) {}

  bool full() const { return waiting_.size() >= length_; }
  size_t size() const { return waiting_.size(); }
  bool HasType(v1::RequestType type) const;

  struct Request {
    CallId call = 0;
    v1::RequestType type = v1::REQUEST_TYPE_UNKNOWN;
    int64_t tokens = 1;
  };

  // The queue must not be full.
  void Push(CallId call, v1::RequestType type, int64_t tokens = 1);

  // The first request of the type for which `ready` says yes, if any.
  const Request* FirstReady(v1::RequestType type, const std::function<bool(CallId)>& ready) const;

  // Takes out the first request of the type for which `ready` says yes. Others keep their places:
  // a request whose key is throttled is passed over, not sent to the back.
  std::optional<CallId> PopReady(v1::RequestType type, const std::function<bool(CallId)>& ready);

  // The calls of a type that wait, first come first.
  std::vector<CallId> Waiting(v1::RequestType type) const;

  void Remove(CallId call);

 private:
  size_t length_;
  std::deque<Request> waiting_;
};

// The line that the engine prints for a request that has to wait. No space before "Key": that is
// how servers print it.
std::string QueueWarning(std::string_view key);

}  // namespace dstap::proxy
