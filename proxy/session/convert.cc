#include "proxy/session/convert.h"

namespace dstap::proxy {

StoreName StoreOf(const v1::StoreRef& ref) {
  return {.name = ref.name(),
          .scope = ref.scope(),
          .kind = ref.kind() == v1::STORE_KIND_UNKNOWN ? v1::STORE_KIND_STANDARD : ref.kind(),
          .all_scopes = ref.all_scopes()};
}

Request RequestOf(const v1::Call& call, SourceId source) {
  Request request;
  request.source = source;
  request.method = call.method();
  request.store = StoreOf(call.store());
  request.key = call.key();
  request.use_cache = call.use_cache();
  if (call.has_value()) request.value = call.value();
  request.user_ids.assign(call.user_ids().begin(), call.user_ids().end());
  if (call.has_metadata()) request.metadata = call.metadata();
  if (call.has_delta()) request.delta = call.delta();
  request.list = call.list();
  request.refused = call.refused();
  return request;
}

TransformOutput OutputOf(const v1::TransformResult& result) {
  TransformOutput output;
  output.outcome = result.outcome();
  output.value = result.value();
  output.user_ids.assign(result.user_ids().begin(), result.user_ids().end());
  if (result.has_metadata()) output.metadata = result.metadata();
  output.error = result.error();
  return output;
}

TransformInput GivenIn(const v1::TransformResult& result) {
  TransformInput input;
  input.run = result.run();
  if (result.has_given()) input.value = result.given();
  return input;
}

BackendAnswer AnswerOf(const v1::Reply& reply) {
  BackendAnswer answer;
  answer.outcome = reply.outcome();
  answer.error = {
      .code = reply.error().code(), .name = reply.error().name(), .text = reply.error().text()};
  if (reply.has_value()) answer.value = reply.value();
  for (const v1::ListItem& item : reply.items()) {
    ListedItem& listed = answer.items.emplace_back();
    listed.key = item.key();
    if (item.has_value()) listed.value = item.value();
  }
  answer.cursor = reply.cursor();
  return answer;
}

void Fill(const CallError& error, v1::Error& out) {
  out.set_code(error.code);
  out.set_name(error.name);
  out.set_text(error.text);
}

void Fill(const KeyInfo& info, v1::KeyInfo& out) {
  out.set_created_ms(info.created_ms);
  out.set_updated_ms(info.updated_ms);
  out.set_version(info.version);
  out.mutable_user_ids()->Assign(info.user_ids.begin(), info.user_ids.end());
  out.set_metadata(info.metadata);
}

void Fill(const BackendAnswer& answer, v1::Reply& out) {
  out.set_outcome(answer.outcome);
  if (!answer.error.text.empty()) Fill(answer.error, *out.mutable_error());
  if (answer.value) out.set_value(*answer.value);
  if (answer.key_info) Fill(*answer.key_info, *out.mutable_key_info());
  out.set_version(answer.version);
  for (const ListedItem& item : answer.items) {
    v1::ListItem& listed = *out.add_items();
    listed.set_key(item.key);
    if (item.value) listed.set_value(*item.value);
    listed.set_created_ms(item.created_ms);
    listed.set_updated_ms(item.updated_ms);
    listed.set_version(item.version);
    listed.set_deleted(item.deleted);
  }
  out.set_cursor(answer.cursor);
}

}  // namespace dstap::proxy
