// `dstap lab`: runs the real source of DataStore libraries in a virtual machine, each against a
// recording proxy of its own.
#pragma once

#include <string>
#include <vector>

#include "proto/base/command.h"
#include "proxy/server/recording.h"

namespace dstap::proxy {

class LabCommand final : public Command {
 public:
  CLI::App* Declare(CLI::App& app) override;
  // With --list: prints what there is, and records nothing.
  //
  // 0 when every library ran to its end, 1 when one did not, 2 for an unknown library or scenario,
  // 4 when records were lost.
  Result<ExitStatus> Run(Streams streams) override;

 private:
  struct LibraryRun {
    Result<ExitStatus> status = ExitStatus::kFine;
    bool interrupted = false;
    std::string notes = {};
    bool done = false;
  };

  static Result<ExitStatus> List(const std::string& lab_folder, Streams streams);
  LibraryRun RunLibrary(const std::string& library, const std::string& lab_folder) const;

  RecordingOptions base_;
  std::vector<std::string> libraries_;
  std::vector<std::string> scenarios_;
  int samples_ = 5;
  int players_ = 0;
  int time_limit_s_ = 120;
  int jobs_ = 0;  // 0: as many as there are processors.
  std::string folder_ = "out";
  bool list_ = false;
};

}  // namespace dstap::proxy
