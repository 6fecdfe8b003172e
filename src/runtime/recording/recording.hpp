// SPDX-License-Identifier: Apache-2.0
// This process's recording: folder, description and streams, from the environment's wish to the last byte.
#pragma once

#include <memory>
#include <string>

#include "base/environment.hpp"
#include "base/file.hpp"
#include "base/tick_scale.hpp"
#include "foretask/hook.h"
#include "runtime/recording/code_sampler.hpp"
#include "runtime/recording/session.hpp"
#include "trace/run_file.hpp"

namespace foretask::runtime {

// The runtime's name in run.json if the program has none.
inline constexpr const char* kNoRuntime = "sequential";

class Recording {
 public:
  // Makes the folder and its first files. About 10 ms. Null: as many processes of this launch are recorded as may be.
  [[nodiscard]] static Result<std::unique_ptr<Recording>> start(const base::Environment& environment,
                                                                const foretask_hook_options& options);
  ~Recording();
  // Not aside, and its functions neither: it may have a thread.
  void start_sampling() noexcept;
  [[nodiscard]] runtime::CodeSampler& sampler() noexcept { return sampler_; }
  // Ends the streams and writes the final description. `own` is the calling thread's stream, or null.
  void stop(runtime::WorkerStream* own);

  // The program's annotations began the recording, and it has a runtime after all; or this runtime takes OpenMP's place
  // (`replaces`). With the start's lock held.
  void adopt_runtime(const foretask_hook_options& options, bool replaces);

  // At the process's end: where its runtime had ended before, the time since then is the program's too.
  void note_exit();

  // Notes in the folder that the process has called exit(). Two system calls.
  void mark_exit() const noexcept;

  // Sets this process's number among those that run together. Written when the recording ends.
  void set_rank(std::uint32_t rank, std::uint32_t ranks) noexcept;

  [[nodiscard]] runtime::Session& session() noexcept { return session_; }
  [[nodiscard]] const std::string& folder() const noexcept { return session_.folder(); }
  [[nodiscard]] const base::FileIdentity& folder_is() const noexcept { return folder_is_; }
  [[nodiscard]] base::TickScale scale() const noexcept { return base::TickScale::of(1e9 / run_.ticks_per_second); }

 private:
  Recording(std::string folder, const trace::TraceId& uuid, std::uint64_t max_bytes);
  void describe(const base::Environment& environment, const foretask_hook_options& options);
  // The counters that are asked for: their status, what a read costs.
  void open_counters(const base::Environment& environment);
  // run.json, and the metadata where it says run.json's size. Error: the path now names another folder than at the
  // start, as after a chroot.
  [[nodiscard]] Result<void> write_description();
  void find_runtime_costs();
  void note_affinities();
  // False where the process has not called exit(), or it is known already.
  [[nodiscard]] bool set_exit(std::int64_t now_ns) noexcept;
  [[nodiscard]] std::string metadata(std::size_t run_file_bytes) const;

  runtime::Session session_;
  runtime::CodeSampler sampler_{session_};
  base::Environment environment_;
  trace::RunFile run_;
  trace::TraceId uuid_;
  base::FileIdentity folder_is_;
  std::string exit_mark_;  // path
  std::size_t run_file_bytes_ = 0;
  std::int64_t description_cost_ns_ = 0;  // of writing it once
  std::int64_t throttled_before_ns_ = 0;
};

// True if a process of this launch has left a recording, or if that cannot be told.
[[nodiscard]] bool has_recording(const base::Environment& environment);

// In the process that the launcher became: says how many processes of the launch are recorded, if several began to.
void say_processes(const base::Environment& environment);

}  // namespace foretask::runtime
