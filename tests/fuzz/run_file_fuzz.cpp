// SPDX-License-Identifier: Apache-2.0
// Any bytes as run.json and as .kernels.jsonl: an error that names the file, or a description that can be written and
// read again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "trace/kernel_file.hpp"
#include "trace/run_file.hpp"
#include "trace/stamp_range.hpp"

namespace {

namespace trace = foretask::trace;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

void write_bytes(int file, const void* data, std::size_t size) {
  check(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size), "the input is written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int file = memfd_create("run", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(file);
  write_bytes(file, data, size);
  std::size_t skipped = 0;
  for (const auto& kernel : trace::read_kernel_file(path, skipped)) check(!kernel.name.empty(), "a kernel has a name");
  const auto run = trace::read_run_file(path);
  if (!run) {
    check(run.error().path == path && !run.error().what.empty(), "an error names the file and the reason");
    return 0;
  }
  check(run->ticks_per_second >= 1e3 && run->ticks_per_second <= 1e12, "a clock has a rate");
  check(run->counter_runs >= 1 && run->counter_sampling >= 1 && run->ranks >= 1, "counts are above 0");
  for (const foretask::analysis::LaunchedRun* const one : {&run->baseline.own, &run->baseline.recorded})
    check(one->elapsed_ns >= 0, "a run takes no negative time");
  const auto range = trace::stamp_range(*run, 0);
  check(range.earliest <= run->start.ticks || run->start.ticks == 0, "a run's stamps begin before its start");
  (void)trace::clock_contradicts_itself(*run);
  const std::string text = trace::to_json(*run);
  write_bytes(file, text.data(), text.size());
  const auto again = trace::read_run_file(path);
  check(again.ok() && again->wrong_fields.empty() && !again->is_changed, "what was read can be written and read");
  check(trace::to_json(*again) == text, "and is the same then");
  return 0;
}
