#include "analyzer/commands/output_file.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "proto/base/whole_file.h"

namespace dstap::analyzer {

Status WriteWhole(const std::string& path, std::string_view bytes) {
  DSTAP_TRY_ASSIGN(WholeFile file,
                   WholeFile::Create(path, {.if_exists = FileSink::IfExists::kReplace}));
  DSTAP_TRY(file.sink().Append(bytes));
  return file.Publish();
}

bool WantsColour(const std::ostream& out) {
  if (&out != &std::cout || ::isatty(STDOUT_FILENO) != 1) return false;
  const char* no_colour = std::getenv("NO_COLOR");
  return no_colour == nullptr || *no_colour == '\0';
}

bool IsSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error) && !error;
}

}  // namespace dstap::analyzer
