#include "proxy/backend/simulator/request_queue.h"

#include <algorithm>

#include "proto/base/check.h"

namespace dstap::proxy {

bool RequestQueue::HasType(v1::RequestType type) const {
  return std::any_of(waiting_.begin(), waiting_.end(),
                     [type](const Request& request) { return request.type == type; });
}

void RequestQueue::Push(CallId call, v1::RequestType type, int64_t tokens) {
  DSTAP_CHECK(!full());
  waiting_.push_back({call, type, tokens});
}

const RequestQueue::Request* RequestQueue::FirstReady(
    v1::RequestType type, const std::function<bool(CallId)>& ready) const {
  const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const Request& request) {
    return request.type == type && ready(request.call);
  });
  return found == waiting_.end() ? nullptr : &*found;
}

std::optional<CallId> RequestQueue::PopReady(v1::RequestType type,
                                             const std::function<bool(CallId)>& ready) {
  const Request* const first = FirstReady(type, ready);
  if (first == nullptr) return std::nullopt;
  const CallId call = first->call;
  Remove(call);
  return call;
}

std::vector<CallId> RequestQueue::Waiting(v1::RequestType type) const {
  std::vector<CallId> calls;
  for (const Request& request : waiting_) {
    if (request.type == type) calls.push_back(request.call);
  }
  return calls;
}

void RequestQueue::Remove(CallId call) {
  std::erase_if(waiting_, [call](const Request& request) { return request.call == call; });
}

std::string QueueWarning(std::string_view key) {
  return std::string(
             "DataStore request was added to queue. If request queue fills, further requests will "
             "be dropped. Try sending fewer requests.Key = ") +
         std::string(key);
}

}  // namespace dstap::proxy
