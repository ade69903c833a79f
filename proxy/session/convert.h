// Between the frames of session.proto and the values of backend.h.
#pragma once

#include "dstap/v1/session.pb.h"
#include "proxy/backend/backend.h"

namespace dstap::proxy {

StoreName StoreOf(const v1::StoreRef& ref);
Request RequestOf(const v1::Call& call, SourceId source);
TransformOutput OutputOf(const v1::TransformResult& result);
// Of a call that the client answers itself: what its function was given, and its end.
TransformInput GivenIn(const v1::TransformResult& result);
BackendAnswer AnswerOf(const v1::Reply& reply);

void Fill(const CallError& error, v1::Error& out);
void Fill(const KeyInfo& info, v1::KeyInfo& out);
void Fill(const BackendAnswer& answer, v1::Reply& out);

}  // namespace dstap::proxy
