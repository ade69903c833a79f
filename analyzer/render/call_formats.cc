#include <array>

#include "analyzer/render/call_writer.h"

namespace dstap::analyzer {

std::span<const CallFormat> AllCallFormats() {
  static constexpr std::array kFormats = {
      CallFormat{"text", "", &AppendCallText},
      CallFormat{"jsonl", "", &AppendCallJson},
      CallFormat{"csv",
                 "file,recording,id,source,source_name,caller,step_id,step,subject,sample,method,"
                 "store,scope,store_kind,all_scopes,key,use_cache,issued_ns,admitted_ns,"
                 "completed_ns,times_queued,queued_ns,served_by,transform_runs,outcome,error_code,"
                 "error_name,error_text,read_bytes,read_hash,written_bytes,written_hash,version,"
                 "first_type,first_before,first_after,first_taken,second_type,second_before,"
                 "second_after,second_taken,fault\r\n",
                 &AppendCallCsv},
  };
  return kFormats;
}

}  // namespace dstap::analyzer
