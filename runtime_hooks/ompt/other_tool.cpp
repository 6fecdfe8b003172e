// SPDX-License-Identifier: Apache-2.0
#include "tool.hpp"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "construct_code.hpp"
#include "ompt_words.hpp"

namespace foretask::ompt {
namespace {

enum Side { kOwn, kOther };

// The runtime's word points to these: a word for each tool.
using Words = std::array<ompt_data_t, 2>;

constexpr std::size_t kMostEvents = 64;
using Callbacks = std::array<std::atomic<ompt_callback_t>, kMostEvents>;
std::array<Callbacks, 2> callbacks;

ompt_start_tool_result_t* other_tool = nullptr;  // null: there is none, or it does not listen
ompt_function_lookup_t runtime_lookup = nullptr;
ompt_set_callback_t set_runtime_callback = nullptr;

template <typename Function>
Function runtime_function(const char* name) {
  return reinterpret_cast<Function>(runtime_lookup(name));
}

// Without memory: a word that holds nothing.
ompt_data_t* nobodys_word() {
  static thread_local ompt_data_t word;
  word.value = 0;
  return &word;
}

// `makes`: a thread, region or task that is not known yet gets its words.
ompt_data_t* word_of(ompt_data_t* data, Side side, bool makes = true) {
  if (data == nullptr) return nullptr;
  if (data->ptr == nullptr && makes) data->ptr = std::calloc(1, sizeof(Words));
  return data->ptr == nullptr ? nobodys_word() : &(*static_cast<Words*>(data->ptr))[side];
}

void forget(ompt_data_t* data) {
  if (data != nullptr) std::free(std::exchange(data->ptr, nullptr));
}

// Another thread may be telling of a dependence on the task that has just ended. It is done when this thread ends its
// next task: between the two, libomp takes the lock that it holds.
thread_local void* ended_task = nullptr;
void forget_later(ompt_data_t* task) {
  if (task != nullptr) std::free(std::exchange(ended_task, std::exchange(task->ptr, nullptr)));
}

bool is_end(ompt_task_status_t status) {
  switch (static_cast<int>(status)) {
    case ompt_task_complete:
    case ompt_task_cancel:
    case ompt_task_late_fulfill:
    case kTaskwaitComplete:
      return true;
    default:
      return false;
  }
}

// After an event: the words of what it ends.
template <ompt_callbacks_t event, typename Arguments>
void forget_ended(const Arguments& arguments) {
  if constexpr (event == ompt_callback_thread_end) {
    forget(std::get<0>(arguments));
    std::free(std::exchange(ended_task, nullptr));
  }
  if constexpr (event == ompt_callback_parallel_end) forget(std::get<0>(arguments));
  if constexpr (event == ompt_callback_implicit_task)
    if (std::get<0>(arguments) == ompt_scope_end) {
      if ((std::get<5>(arguments) & ompt_task_initial) != 0) forget(std::get<1>(arguments));
      forget(std::get<2>(arguments));
    }
  if constexpr (event == ompt_callback_task_schedule)
    if (is_end(std::get<1>(arguments))) forget_later(std::get<0>(arguments));
  if constexpr (event == ompt_callback_target_emi)
    if (std::get<1>(arguments) == ompt_scope_end) forget(std::get<5>(arguments));
}

constexpr bool begins_or_ends_words(ompt_callbacks_t event) {
  return event == ompt_callback_thread_begin || event == ompt_callback_thread_end ||
         event == ompt_callback_parallel_begin || event == ompt_callback_parallel_end ||
         event == ompt_callback_task_create || event == ompt_callback_task_schedule ||
         event == ompt_callback_implicit_task;
}

// One event on its way to both tools.
template <ompt_callbacks_t event, typename Function>
struct Passing;
template <ompt_callbacks_t event, typename Result, typename... Arguments>
struct Passing<event, Result (*)(Arguments...)> {
  static Result pass(Arguments... arguments) {
    using Function = Result (*)(Arguments...);
    // A task that others depend on may have ended.
    constexpr bool kMakes = event != ompt_callback_task_dependence;
    const auto tell = [&](Side side) {
      const auto callback = reinterpret_cast<Function>(callbacks[side][event].load(std::memory_order_relaxed));
      const auto own = [side](auto argument) {
        if constexpr (std::is_same_v<decltype(argument), ompt_data_t*>)
          return word_of(argument, side, kMakes);
        else
          return argument;
      };
      return callback ? callback(own(arguments)...) : Result();
    };
    if constexpr (event == ompt_callback_task_create) created_word = std::get<2>(std::tie(arguments...));
    if constexpr (std::is_void_v<Result>) {
      tell(kOwn);
      tell(kOther);
      forget_ended<event>(std::tie(arguments...));
    } else {
      return tell(kOther);
    }
  }
};

// Null: of a newer version, which this file does not know.
ompt_callback_t passing(ompt_callbacks_t event) {
  switch (event) {
#define FORETASK_PASSING(event, type, number) \
  case event:                                 \
    return reinterpret_cast<ompt_callback_t>(&Passing<event, type>::pass);
    FOREACH_OMPT_EVENT(FORETASK_PASSING)
#undef FORETASK_PASSING
    default:
      return nullptr;
  }
}

ompt_set_result_t set_callback(Side side, ompt_callbacks_t event, ompt_callback_t callback) {
  const ompt_callback_t both = passing(event);
  if (both == nullptr || static_cast<std::size_t>(event) >= kMostEvents)
    return side == kOther ? set_runtime_callback(event, callback) : ompt_set_never;
  callbacks[side][event].store(callback, std::memory_order_relaxed);
  const bool is_wanted =
      begins_or_ends_words(event) || callbacks[kOwn][event].load() || callbacks[kOther][event].load();
  return set_runtime_callback(event, is_wanted ? both : nullptr);
}

ompt_set_result_t set_own_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  return set_callback(kOwn, event, callback);
}

ompt_set_result_t set_other_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  return set_callback(kOther, event, callback);
}

// The other tool's callbacks and words.
int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  if (passing(event) == nullptr) return runtime_function<ompt_get_callback_t>("ompt_get_callback")(event, callback);
  const ompt_callback_t found = callbacks[kOther][event].load();
  if (found != nullptr) *callback = found;
  return found != nullptr ? 1 : 0;
}

ompt_data_t* get_thread_data() {
  static const auto get = runtime_function<ompt_get_thread_data_t>("ompt_get_thread_data");
  return word_of(get(), kOther);
}

int get_parallel_info(int level, ompt_data_t** region, int* team_size) {
  static const auto get = runtime_function<ompt_get_parallel_info_t>("ompt_get_parallel_info");
  const int found = get(level, region, team_size);
  if (found == 2 && region != nullptr) *region = word_of(*region, kOther);
  return found;
}

int get_task_info(int level, int* flags, ompt_data_t** task, ompt_frame_t** frame, ompt_data_t** region, int* thread) {
  static const auto get = runtime_function<ompt_get_task_info_t>("ompt_get_task_info");
  const int found = get(level, flags, task, frame, region, thread);
  if (found != 2) return found;
  if (task != nullptr) *task = word_of(*task, kOther);
  if (region != nullptr) *region = word_of(*region, kOther);
  return found;
}

ompt_interface_fn_t look_up_for_own(const char* name) {
  if (std::strcmp(name, "ompt_set_callback") == 0) return reinterpret_cast<ompt_interface_fn_t>(set_own_callback);
  return runtime_lookup(name);
}

ompt_interface_fn_t look_up_for_other(const char* name) {
  const std::pair<std::string_view, ompt_interface_fn_t> own[] = {
      {"ompt_set_callback", reinterpret_cast<ompt_interface_fn_t>(set_other_callback)},
      {"ompt_get_callback", reinterpret_cast<ompt_interface_fn_t>(get_callback)},
      {"ompt_get_thread_data", reinterpret_cast<ompt_interface_fn_t>(get_thread_data)},
      {"ompt_get_parallel_info", reinterpret_cast<ompt_interface_fn_t>(get_parallel_info)},
      {"ompt_get_task_info", reinterpret_cast<ompt_interface_fn_t>(get_task_info)}};
  for (const auto& [function, address] : own)
    if (function == name) return address;
  return runtime_lookup(name);
}

using StartTool = ompt_start_tool_result_t* (*)(unsigned, const char*);

StartTool function_in(void* library) { return reinterpret_cast<StartTool>(::dlsym(library, "ompt_start_tool")); }

// As the runtime does it.
ompt_start_tool_result_t* start_from(std::string_view list, unsigned omp_version, const char* version) {
  while (!list.empty()) {
    const std::string path(list.substr(0, list.find(':')));
    list.remove_prefix(std::min(path.size() + 1, list.size()));
    void* const library = path.empty() ? nullptr : ::dlopen(path.c_str(), RTLD_LAZY);
    if (library == nullptr) continue;
    const StartTool start = function_in(library);
    if (start != nullptr)
      if (ompt_start_tool_result_t* const result = start(omp_version, version)) return result;
    ::dlclose(library);
  }
  return nullptr;
}

}  // namespace

ompt_start_tool_result_t* start_other_tool(bool in_libraries, unsigned omp_version, const char* runtime_version) {
  const char* const tools = std::getenv("OMP_TOOL");
  if (in_libraries && tools != nullptr && ::strcasecmp(tools, "disabled") == 0) return nullptr;
  if (const StartTool next = function_in(RTLD_NEXT))
    if (ompt_start_tool_result_t* const result = next(omp_version, runtime_version)) return result;
  if (!in_libraries) return nullptr;
  const char* const list = std::getenv("OMP_TOOL_LIBRARIES");
  return start_from(list != nullptr ? list : "", omp_version, runtime_version);
}

ompt_function_lookup_t initialize_other_tool(ompt_start_tool_result_t* other, ompt_function_lookup_t lookup,
                                             int initial_device) {
  if (other == nullptr) return lookup;
  runtime_lookup = lookup;
  set_runtime_callback = runtime_function<ompt_set_callback_t>("ompt_set_callback");
  if (other->initialize(look_up_for_other, initial_device, &other->tool_data) == 0) {
    for (std::size_t event = 0; event < kMostEvents; ++event)
      if (callbacks[kOther][event].load() != nullptr)
        set_runtime_callback(static_cast<ompt_callbacks_t>(event), nullptr);
    return lookup;
  }
  other_tool = other;
#define FORETASK_WATCH(event, type, number) \
  if (begins_or_ends_words(event)) set_runtime_callback(event, passing(event));
  FOREACH_OMPT_EVENT(FORETASK_WATCH)
#undef FORETASK_WATCH
  return look_up_for_own;
}

bool has_other_tool() { return other_tool != nullptr; }

void finalize_other_tool() {
  if (other_tool != nullptr && other_tool->finalize != nullptr) other_tool->finalize(&other_tool->tool_data);
}

}  // namespace foretask::ompt
