// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/annotations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "base/file.hpp"
#include "base/messages.hpp"
#include "foretask/hook.h"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/next_task.hpp"
#include "runtime/recording/recorded_thread.hpp"
#include "trace/event_table.hpp"
#include "trace/kernel_file.hpp"

namespace foretask::runtime {
namespace {

// Never destroyed: threads define kernels until the process is gone.
struct KernelFile {
  std::mutex mutex;
  std::vector<trace::KernelDefinition> definitions;
  std::string folder;  // empty while nothing is recorded
  base::FileIdentity folder_is;
};

KernelFile& kernel_file() {
  static auto* const file = new KernelFile;
  return *file;
}

void append(const KernelFile& file, const std::string& lines) {
  if (base::FileIdentity::of(file.folder.c_str()) != file.folder_is)
    return base::warn("kernels have no names: " + file.folder + " is gone, or another folder is in its place");
  if (const Result<void> written = base::append_to_file(file.folder + "/" + trace::kKernelFile, lines); !written)
    base::warn("kernels have no names: " + written.error().message());
}

std::uint32_t* put(std::uint32_t* word, double value) noexcept {
  trace::put_u64(word, std::bit_cast<std::uint64_t>(value));
  return word;
}

std::uint32_t* put(std::uint32_t* word, std::span<const double> values) noexcept {
  const std::size_t count = std::min<std::size_t>(values.size(), FORETASK_MAX_PARAMETERS);
  *word++ = static_cast<std::uint32_t>(count);
  for (const double value : values.first(count)) word = put(word, value);
  return word;
}

}  // namespace

void record_kernel_definition(std::uint32_t id, std::string_view name, std::span<const std::string> parameters) {
  KernelFile& file = kernel_file();
  const std::lock_guard lock(file.mutex);
  file.definitions.push_back({id, std::string(name), {parameters.begin(), parameters.end()}});
  if (!file.folder.empty()) append(file, trace::kernel_line(file.definitions.back()));
}

void begin_kernel_file(const std::string& folder, const base::FileIdentity& folder_is) {
  KernelFile& file = kernel_file();
  const std::lock_guard lock(file.mutex);
  file.folder = folder;
  file.folder_is = folder_is;
  std::string lines;
  for (const trace::KernelDefinition& definition : file.definitions) lines += trace::kernel_line(definition);
  if (!lines.empty()) append(file, lines);
}

void end_kernel_file() noexcept {
  KernelFile& file = kernel_file();
  const std::lock_guard lock(file.mutex);
  file.folder.clear();
}

void lock_kernel_file() noexcept { kernel_file().mutex.lock(); }
void unlock_kernel_file() noexcept { kernel_file().mutex.unlock(); }

void record_kernel_sample(std::uint32_t kernel, std::span<const double> parameters, double duration_ns) noexcept {
  foretask_stream* const stream = recorded_thread();
  if (!stream) return;
  std::uint32_t* word = foretask_event_begin_extended_(stream, FORETASK_EVENT_KERNEL_SAMPLE);
  if (!word) return;
  *word++ = kernel;
  word = put(word, duration_ns);
  foretask_event_end_(stream, put(word, parameters));
}

bool record_own_task(std::uint32_t kernel, std::span<const double> parameters, const void* code) noexcept {
  foretask_stream* const stream = recorded_thread();
  if (!stream) return false;
  need_initial_task(stream);
  next_task.set(nullptr, kernel, parameters.data(), parameters.size());
  stream->has_next_task = 1;
  const std::uint64_t name = foretask_record_task_create(stream, code, FORETASK_TASK_ONE_ORDER | FORETASK_TASK_OWN);
  foretask_record_task_switch(stream, name);
  return true;
}

void record_end_of_own_task(std::span<const double> parameters, std::size_t known) noexcept {
  foretask_stream* const stream = recorded_thread();
  if (!stream) return;
  for (std::size_t i = known; i < parameters.size(); ++i)
    record_task_parameter(static_cast<std::uint32_t>(i), parameters[i]);
  foretask_record_task_end(stream, 0);
}

void record_granularity(const GranularityFacts& facts) noexcept {
  foretask_stream* const stream = recorded_thread();
  if (!stream) return;
  std::uint32_t* word = foretask_event_begin_extended_(stream, FORETASK_EVENT_GRANULARITY);
  if (!word) return;
  for (const std::uint32_t value :
       {facts.kernel, facts.tasks, facts.calls, facts.decisions, facts.decisions_ns, facts.threshold_ns})
    *word++ = value;
  foretask_event_end_(stream, word);
}

void record_next_task() noexcept {
  if (foretask_stream* const stream = recorded_thread()) stream->has_next_task = 1;
}

bool is_next_task_recorded() noexcept {
  const foretask_stream* const stream = recorded_thread();
  return stream && stream->has_next_task != 0;
}

static foretask_status record_interest(bool begins) noexcept {
  if ((annotation_activity() & kRecording) == 0) return FORETASK_OFF;
  foretask_stream* const stream = recorded_thread();
  std::uint32_t* word = stream != nullptr ? foretask_event_begin_extended_(stream, FORETASK_EVENT_INTEREST) : nullptr;
  if (!word) return FORETASK_OFF;
  *word++ = begins ? 1 : 0;
  foretask_event_end_(stream, word);
  return FORETASK_OK;
}

void record_task_parameter(std::uint32_t index, double value) noexcept {
  foretask_stream* const stream = recorded_thread();
  if (!stream || index >= FORETASK_MAX_PARAMETERS) return;
  std::uint32_t* word = foretask_event_begin_extended_(stream, FORETASK_EVENT_TASK_PARAMETER);
  if (!word) return;
  *word++ = index;
  foretask_event_end_(stream, put(word, value));
}

}  // namespace foretask::runtime

extern "C" foretask_status foretask_begin_interest() { return foretask::runtime::record_interest(true); }
extern "C" foretask_status foretask_end_interest() { return foretask::runtime::record_interest(false); }

extern "C" void foretask_record_next_task_slow(foretask_stream* stream) {
  using foretask::runtime::next_task;
  stream->has_next_task = 0;
  std::uint32_t* word = foretask_event_begin_extended_(stream, FORETASK_EVENT_TASK_KERNEL);
  if (!word) return;
  *word++ = next_task.id;
  foretask_event_end_(stream, foretask::runtime::put(word, std::span(next_task.parameters).first(next_task.count)));
}
