#include "proxy/server/recording.h"

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

#include "proto/base/clock.h"
#include "proto/base/exit_status.h"
#include "proto/capture/capture_writer.h"
#include "proto/capture/format.h"
#include "proxy/backend/backend_table.h"
#include "proxy/backend/faults/fault_backend.h"
#include "proxy/server/child_process.h"
#include "proxy/server/fault_files.h"
#include "proxy/server/session_server.h"
#include "proxy/session/hub.h"

namespace dstap::proxy {
namespace asio = boost::asio;
namespace {

// What a command has after a signal, before it is killed.
constexpr std::chrono::seconds kGrace{2};
// What clients that outlive the command have to finish what they sent.
constexpr std::chrono::seconds kDrain{1};
constexpr std::chrono::milliseconds kDrainStep{5};
// How long an answer waits for its record, where records may be dropped at all.
constexpr std::chrono::seconds kAnswerWaitMax{1};

// A folder that only this user may enter, gone with its contents at the end.
class PrivateFolder {
 public:
  static Result<PrivateFolder> Create() {
    // An empty TMPDIR is none.
    const char* given = std::getenv("TMPDIR");
    const std::filesystem::path where = given != nullptr && *given != '\0' ? given : "/tmp";
    std::string path = (where / "dstap-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
      return Status(ErrorCode::kWrite,
                    fmt::format("{}: no folder for the socket can be made there: {}; set TMPDIR",
                                where.string(), std::strerror(errno)));
    }
    return PrivateFolder(path);
  }
  PrivateFolder(PrivateFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PrivateFolder& operator=(PrivateFolder&&) = delete;
  ~PrivateFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  explicit PrivateFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

v1::Header HeaderFor(const RecordingOptions& options, int64_t start_unix_ns) {
  v1::Header header;
  header.set_clock(options.clock);
  header.set_start_unix_ns(start_unix_ns);
  header.set_title(options.title);
  header.set_backend(options.backend);
  header.set_rule_profile(options.rules);
  header.set_seed(options.seed);
  header.set_values_recorded(options.values);
  const auto add = [&header](const std::string& name, const std::string& value) {
    v1::Option& option = *header.add_options();
    option.set_name(name);
    option.set_value(value);
  };
  for (const auto& [name, value] : options.header_options) add(name, value);
  if (options.latency != BackendOptions().latency) add("latency", options.latency);
  // Which calls are there depends on it.
  if (!options.dump_on.empty()) add("dump-on", options.dump_on);
  for (const std::string& change : options.rule_changes) add("rule", change);
  for (const std::string& fault : options.faults) add("fault", fault);
  // Only the name: nothing of the machine belongs into a capture.
  for (const std::string& plan : options.fault_plans) {
    add("fault-plan", std::filesystem::path(plan).filename().string());
  }
  return header;
}

// Waits for the command's end, passing signals on, then for what its clients still send.
class Lifetime {
 public:
  Lifetime(asio::io_context& io, SessionServer& server)
      : io_(io), server_(server), signals_(io, SIGINT, SIGTERM, SIGHUP), kill_(io), drain_(io) {
    WaitForSignal();
  }

  void Watch(ChildProcess& child) {
    child_ = &child;
    if (signal_ != 0) child_->Signal(signal_);
  }

  void OnExit(int status) {
    status_ = status;
    kill_.cancel();
    server_.StopAccepting();
    drain_until_ = std::chrono::steady_clock::now() + (signal_ == 0 ? kDrain : kDrainStep);
    Drain();
  }

  int status() const { return status_; }
  bool interrupted() const { return signal_ != 0; }

 private:
  void WaitForSignal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      const bool again = signal_ != 0;
      signal_ = signal;
      if (child_ != nullptr) child_->Signal(again ? SIGKILL : signal);
      if (!again) {
        kill_.expires_after(kGrace);
        kill_.async_wait([this](const boost::system::error_code& cancelled) {
          if (!cancelled && child_ != nullptr) child_->Signal(SIGKILL);
        });
      }
      WaitForSignal();
    });
  }

  void Drain() {
    if (server_.open_connections() == 0 || std::chrono::steady_clock::now() >= drain_until_) {
      server_.HangUp();
      signals_.cancel();
      io_.stop();
      return;
    }
    drain_.expires_after(kDrainStep);
    drain_.async_wait([this](const boost::system::error_code& error) {
      if (!error) Drain();
    });
  }

  asio::io_context& io_;
  SessionServer& server_;
  asio::signal_set signals_;
  asio::steady_timer kill_;
  asio::steady_timer drain_;
  std::chrono::steady_clock::time_point drain_until_;
  ChildProcess* child_ = nullptr;
  int status_ = 0;
  int signal_ = 0;
};

// "" when it ended well.
std::string HowItEnded(int status) {
  if (status == 0) return "";
  if (status > 128) return fmt::format("the command was ended by signal {}", status - 128);
  return fmt::format("the command ended with status {}", status);
}

}  // namespace

Result<RecordingResult> RunRecording(const RecordingOptions& options) {
  // A file over the user's limit is a write that fails, and calls go on; not the end of the
  // program.
  ::signal(SIGXFSZ, SIG_IGN);
  asio::io_context io{1};  // One thread. Everything below lives on it.
  const SystemClock clock;
  const int64_t start_unix_ns = options.clock == v1::CLOCK_KIND_VIRTUAL
                                    ? capture::kVirtualEpochUnixNs
                                    : clock.start_unix().count();

  BackendOptions backend_options{.rule_profile = options.rules,
                                 .latency = options.latency,
                                 .rules = {},
                                 .seed = options.seed,
                                 .start_unix_ns = start_unix_ns};
  for (const std::string& change : options.rule_changes) {
    const size_t equals = change.find('=');
    if (equals == std::string::npos) {
      return Status(
          ErrorCode::kUsage,
          fmt::format("--rule {}: is not NAME=VALUE; docs/simulator.md lists the names", change));
    }
    backend_options.rules.emplace_back(change.substr(0, equals), change.substr(equals + 1));
  }
  std::optional<CallTrigger> trigger;
  if (!options.dump_on.empty()) {
    auto parsed = CallTrigger::Parse(options.dump_on);
    if (!parsed.ok()) return Status(parsed.status()).At("--dump-on");
    trigger = *std::move(parsed);
  }
  DSTAP_TRY_ASSIGN(FaultPlan faults, ReadFaults(options.faults, options.fault_plans));
  DSTAP_TRY_ASSIGN(std::unique_ptr<Backend> backend, MakeBackend(options.backend, backend_options));
  const FaultBackend* faulty = nullptr;
  if (!faults.empty()) {
    auto made = std::make_unique<FaultBackend>(std::move(backend), std::move(faults), options.seed);
    faulty = made.get();
    backend = std::move(made);
  }
  std::optional<PrivateFolder> folder;
  std::string listen = options.listen;
  if (listen.empty()) {
    DSTAP_TRY_ASSIGN(PrivateFolder made, PrivateFolder::Create());
    folder.emplace(std::move(made));
    listen = "unix:" + folder->path() + "/socket";
  }
  DSTAP_TRY_ASSIGN(RecordingOutput output,
                   RecordingOutput::Open(options.output, HeaderFor(options, start_unix_ns)));
  SessionServer* listening = nullptr;  // Told when something was written.
  std::unique_ptr<capture::ChunkSink> chunks = output.TakeSink();
  const CommitProgress* progress = nullptr;
  if (options.clock == v1::CLOCK_KIND_WALL) {
    auto behind = std::make_unique<WriteBehind>(std::move(chunks), options.buffer, [&] {
      asio::post(io, [&listening] {
        if (listening != nullptr) listening->Wake();
      });
    });
    progress = behind.get();
    chunks = std::move(behind);
  }
  capture::CaptureWriter writer(
      std::move(chunks),
      {.chunk_bytes_max = std::min(capture::kChunkBytesMax, options.buffer.buffer_bytes / 4),
       .has_standing_rows = options.output.rotate || options.output.flight});
  Recorder recorder(std::move(writer), {.values = options.values, .trigger = std::move(trigger)});
  const bool may_drop = options.buffer.on_overflow == WriteBehind::OnOverflow::kDrop;
  Hub hub(*backend, recorder,
          {.clock = options.clock,
           .start_unix_ns = start_unix_ns,
           .rule_profile = options.rules,
           .seed = options.seed,
           .progress = progress,
           .answer_wait_max = may_drop ? std::optional<Time>(kAnswerWaitMax) : std::nullopt});

  auto server = SessionServer::Listen(io, hub, clock, listen);
  if (!server.ok()) {
    output.Discard();
    return server.status();
  }
  listening = server->get();
  Lifetime lifetime(io, **server);
  auto variables = options.variables;
  variables.emplace_back("DSTAP_SOCKET", (*server)->address().text);
  auto child = ChildProcess::Start(
      io, options.command, variables, [&lifetime](int status) { lifetime.OnExit(status); },
      options.inherits_files ? ChildProcess::Inherits::kAllFiles
                             : ChildProcess::Inherits::kStandardFiles);
  if (!child.ok()) {
    output.Discard();
    return child.status();
  }
  DSTAP_TRY(output.Publish());
  lifetime.Watch(**child);

  io.run();

  listening = nullptr;
  const v1::EndReason reason = lifetime.interrupted()   ? v1::END_REASON_SIGNAL
                               : lifetime.status() != 0 ? v1::END_REASON_COMMAND_FAILED
                                                        : v1::END_REASON_CLOSED;
  const Status closed = hub.Close(clock.Now(), reason, HowItEnded(lifetime.status()));
  RecordingResult result;
  result.command_status = lifetime.status();
  result.interrupted = lifetime.interrupted();
  result.calls = recorder.calls();
  if (options.output.replace_at_end) {
    const bool was_usage = result.command_status == static_cast<int>(ExitStatus::kUsage);
    result.discarded =
        result.calls == 0 && (was_usage || (result.command_status != 0 && !output.is_new()));
  }
  if (result.discarded) {
    output.Discard();
  } else {
    const RecordingOutput::Finished finished = output.Finish();
    DSTAP_TRY(finished.published);
    if (closed.ok()) result.not_packed = finished.packed;
    result.files = output.names();
  }
  result.calls_lost = recorder.calls_lost();
  result.rows_lost = recorder.rows_lost();
  result.file_error = hub.error().ok() ? closed : hub.error();
  result.clients_refused = hub.refused();
  result.first_refusal = hub.first_refusal();
  if (faulty != nullptr) result.faults_unused = faulty->NeverStruck();
  return result;
}

}  // namespace dstap::proxy
