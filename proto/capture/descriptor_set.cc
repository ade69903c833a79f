#include "proto/capture/descriptor_set.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>

#include <set>

#include "dstap/v1/capture.pb.h"

namespace dstap::capture {
namespace {

void AddFile(const google::protobuf::FileDescriptor& file, std::set<std::string>& seen,
             google::protobuf::FileDescriptorSet& out) {
  if (!seen.insert(file.name()).second) return;
  for (int i = 0; i < file.dependency_count(); ++i) AddFile(*file.dependency(i), seen, out);
  file.CopyTo(out.add_file());
}

}  // namespace

std::string SerializedDescriptorSet() {
  google::protobuf::FileDescriptorSet set;
  std::set<std::string> seen;
  AddFile(*v1::Capture::descriptor()->file(), seen, set);
  return set.SerializeAsString();
}

}  // namespace dstap::capture
