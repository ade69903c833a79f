// GetAsync.
#include <utility>

#include "proxy/backend/simulator/simulator.h"

namespace dstap::proxy {

void Simulator::StartRead(Call& call) {
  const Request& request = call.request;
  const bool past_the_cache =
      request.use_cache == v1::USE_CACHE_FALSE && rules_.use_cache_option != 0;
  if (!past_the_cache) {
    if (const auto copy = call.server->cache().Find(request.store, request.key, now_)) {
      return Answer(call, ReadAnswer(call, *copy, v1::SERVED_BY_LOCAL_COPY));
    }
  }
  Acquire(call, 0);
}

void Simulator::ServeGet(Call& call) {
  VersionPtr latest = store_.Latest(call.place);
  call.server->cache().Put(call.request.store, call.request.key, now_, latest);
  Answer(call, ReadAnswer(call, latest, v1::SERVED_BY_BACKEND));
}

}  // namespace dstap::proxy
