// SPDX-License-Identifier: Apache-2.0
// Counters from PAPI. Its library is loaded when the first counter is asked for, and out of the program's sight: a
// program that is recorded without counters has nothing of it, and one that brings another version keeps its own.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <papi.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "foretask/hook.h"
#include "runtime/counters/counter_source.hpp"

namespace foretask::runtime {
namespace {

// papi.h's own version: another one's structures may differ.
const std::string kLibrary = "libpapi.so." + std::to_string(PAPI_VERSION_MAJOR(PAPI_VERSION)) + "." +
                             std::to_string(PAPI_VERSION_MINOR(PAPI_VERSION));
constexpr int kCalibrationReads = 64;

// Its functions that are called, as each(NAME).
#define FORETASK_PAPI(each)                                                                                    \
  each(library_init) each(thread_init) each(unregister_thread) each(create_eventset) each(add_named_event)     \
      each(event_name_to_code) each(start) each(stop) each(read) each(cleanup_eventset) each(destroy_eventset) \
          each(strerror) each(num_components) each(get_component_info)

struct Papi {
#define FORETASK_MEMBER(function) decltype(&::PAPI_##function) function = nullptr;
  FORETASK_PAPI(FORETASK_MEMBER)
#undef FORETASK_MEMBER
  std::string problem;  // why nothing can be had of it; empty: all is well
};

template <typename Function>
void find(void* library, const char* name, Function& function, std::string& problem) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (!function && problem.empty()) problem = kLibrary + " has no " + name;
}

unsigned long this_thread() { return static_cast<unsigned long>(::pthread_self()); }

Papi load_papi() {
  Papi papi;
  // One set of counters a thread runs at a time: ours would make the program's own PAPI_start fail.
  if (void* const there = ::dlopen(kLibrary.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_LOCAL)) {
    ::dlclose(there);
    papi.problem = "the program has loaded PAPI for itself, and a thread can only run one set of its counters";
    return papi;
  }
  // Its own functions before those of the same names that the program may have, which the address sanitizer does not
  // allow. Never unloaded.
#ifdef FORETASK_ADDRESS_SANITIZER
  constexpr int kItsOwnFirst = 0;
#else
  constexpr int kItsOwnFirst = RTLD_DEEPBIND;
#endif
  void* const library = ::dlopen(kLibrary.c_str(), RTLD_NOW | RTLD_LOCAL | kItsOwnFirst | RTLD_NODELETE);
  if (!library) {
    papi.problem = "PAPI is not installed here (Debian: libpapi" + kLibrary.substr(kLibrary.find(".so.") + 4) + ")";
    return papi;
  }
#define FORETASK_FIND(function) find(library, "PAPI_" #function, papi.function, papi.problem);
  FORETASK_PAPI(FORETASK_FIND)
#undef FORETASK_FIND
  if (!papi.problem.empty()) return papi;
  if (const int version = papi.library_init(PAPI_VER_CURRENT); version != PAPI_VER_CURRENT) {
    papi.problem = version < 0 ? std::string("PAPI cannot be started: ") + papi.strerror(version)
                               : "PAPI is of another version than foretask was built with";
  } else if (const int status = papi.thread_init(this_thread); status != PAPI_OK) {
    papi.problem = std::string("PAPI cannot be used by several threads: ") + papi.strerror(status);
  }
  return papi;
}

// Once a process, whatever becomes of it.
const Papi& papi() {
  static const Papi loaded = load_papi();
  return loaded;
}

std::string paranoid_level() {
  std::string level = "?";
  std::ifstream("/proc/sys/kernel/perf_event_paranoid") >> level;
  return level;
}

std::string denial() {
  return "not permitted: kernel.perf_event_paranoid is " + paranoid_level() + ", or a container forbids it";
}

// Why PAPI's Linux part is off as a whole; empty where it is on.
std::string disabled_reason() {
  const int count = papi().num_components();
  for (int index = 0; index < count; ++index) {
    const PAPI_component_info_t* const info = papi().get_component_info(index);
    if (info && std::string_view(info->name) == "perf_event" && info->disabled != 0) return info->disabled_reason;
  }
  return {};
}

// Kernel events that happen in the kernel alone: counted in user mode, as PAPI does by itself, they are always 0.
std::string event_name(const std::string& name) {
  constexpr std::array<std::string_view, 8> kInKernel = {"CONTEXT-SWITCHES",
                                                         "CS",
                                                         "PERF_COUNT_SW_CONTEXT_SWITCHES",
                                                         "CPU-MIGRATIONS",
                                                         "MIGRATIONS",
                                                         "PERF_COUNT_SW_CPU_MIGRATIONS",
                                                         "CGROUP-SWITCHES",
                                                         "PERF_COUNT_SW_CGROUP_SWITCHES"};
  const std::string bare = bare_counter_name(name);
  const std::size_t table = name.find("::");
  const bool has_modifiers = name.find(':', table == std::string::npos ? 0 : table + 2) != std::string::npos;
  const bool in_kernel = std::find(kInKernel.begin(), kInKernel.end(), bare) != kInKernel.end();
  return in_kernel && !has_modifiers ? name + ":u=1:k=1" : name;
}

void refuse(trace::Counter& counter, int error) {
  switch (error) {
    case PAPI_EPERM:
      counter.status = trace::kCounterDenied;
      counter.reason = denial();
      return;
    case PAPI_ECNFLCT:
    case PAPI_ECOUNT:
    case PAPI_EMULPASS:
      counter.status = trace::kCounterMultiplexed;
      counter.reason =
          "it cannot be counted beside the others at the same time: put it into a group of its own (a semicolon before "
          "it)";
      return;
    case PAPI_ECMP_DISABLED:
    case PAPI_ENOCNTR:
      counter.status = trace::kCounterUnavailable;
      counter.reason = disabled_reason();
      if (counter.reason.empty()) counter.reason = papi().strerror(error);
      if (const int level = std::atoi(paranoid_level().c_str()); level > 2) {
        counter.status = trace::kCounterDenied;
        counter.reason = denial();
      }
      return;
    default:
      counter.status = trace::kCounterUnavailable;
      counter.reason = papi().strerror(error);
  }
}

// What PAPI says of a name that it does not take.
void refuse_name(trace::Counter& counter, int error) {
  int code = PAPI_NULL;
  const bool known = papi().event_name_to_code(counter.name.c_str(), &code) == PAPI_OK;
  if (error == PAPI_EPERM || error == PAPI_ECNFLCT || error == PAPI_ECOUNT || error == PAPI_EMULPASS ||
      error == PAPI_ECMP_DISABLED)
    return refuse(counter, error);
  counter.status = trace::kCounterUnavailable;
  if (!known && !disabled_reason().empty()) return refuse(counter, PAPI_ECMP_DISABLED);
  counter.reason = known ? "the processor, as this (virtual?) machine shows it, does not have it"
                         : "PAPI knows no event of this name (papi_avail and papi_native_avail list them)";
}

std::vector<int> perf_descriptors() {
  std::vector<int> found;
  DIR* const folder = ::opendir("/proc/self/fd");
  if (!folder) return found;
  while (const dirent* const entry = ::readdir(folder)) {
    std::array<char, 64> target{};
    const ssize_t size = ::readlinkat(::dirfd(folder), entry->d_name, target.data(), target.size());
    if (size > 0 && std::string_view(target.data(), static_cast<std::size_t>(size)) == "anon_inode:[perf_event]")
      found.push_back(std::atoi(entry->d_name));
  }
  ::closedir(folder);
  return found;
}

// While PAPI opens files: none of them takes the number of a standard stream that the user closed, and what the program
// starts later on inherits none.
class OpenFiles {
 public:
  OpenFiles() : before_(perf_descriptors()) {
    for (int number = 0; number <= STDERR_FILENO; ++number)
      if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) held_.push_back(::open("/dev/null", O_RDWR | O_CLOEXEC));
  }
  OpenFiles(const OpenFiles&) = delete;
  OpenFiles& operator=(const OpenFiles&) = delete;
  ~OpenFiles() {
    for (const int number : held_)
      if (number >= 0) ::close(number);
    for (const int number : opened()) ::fcntl(number, F_SETFD, FD_CLOEXEC);
  }
  // Counters that were opened since.
  [[nodiscard]] std::vector<int> opened() const {
    std::vector<int> now = perf_descriptors();
    now.erase(
        std::remove_if(now.begin(), now.end(),
                       [&](int number) { return std::find(before_.begin(), before_.end(), number) != before_.end(); }),
        now.end());
    return now;
  }

 private:
  std::vector<int> before_;
  std::vector<int> held_;
};

void destroy_set(int set) {
  if (set == PAPI_NULL) return;
  (void)papi().cleanup_eventset(set);
  (void)papi().destroy_eventset(&set);
}

// The files that a set is read from. A program may close all that it has not opened itself, and put a file of its own
// in the place of one of ours, which must be neither read from nor closed.
class CounterFiles {
 public:
  explicit CounterFiles(const std::vector<int>& numbers) {
    for (const int number : numbers) {
      if (count_ == files_.size()) break;
      File& file = files_[count_];
      file.number = number;
      if (::ioctl(number, PERF_EVENT_IOC_ID, &file.id) == 0) ++count_;
    }
  }
  // About 100 ns a file.
  [[nodiscard]] bool are_ours() const noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      std::uint64_t id = 0;
      if (::ioctl(files_[i].number, PERF_EVENT_IOC_ID, &id) != 0 || id != files_[i].id) return false;
    }
    return true;
  }

 private:
  struct File {
    int number = -1;
    std::uint64_t id = 0;
  };
  std::array<File, FORETASK_MAX_COUNTERS> files_;
  std::size_t count_ = 0;
};

class PapiThread final : public ThreadCounters {
 public:
  // Takes over a set that has been started.
  PapiThread(int set, const std::vector<int>& files) : set_(set), files_(files) {}
  ~PapiThread() override {
    if (!files_.are_ours()) return;
    std::array<long long, FORETASK_MAX_COUNTERS> last{};
    (void)papi().stop(set_, last.data());
    destroy_set(set_);
    (void)papi().unregister_thread();
  }
  [[nodiscard]] bool read(std::uint64_t* values) noexcept override {
    static_assert(sizeof(long long) == sizeof *values);
    return files_.are_ours() && papi().read(set_, reinterpret_cast<long long*>(values)) == PAPI_OK;
  }

 private:
  int set_;
  CounterFiles files_;
};

class PapiSource final : public CounterSource {
 public:
  explicit PapiSource(const std::vector<std::string>& names) {
    if (names.empty()) return;
    for (const std::string& name : names) statuses_.push_back({name, trace::kCounterUnavailable, papi().problem, 0});
    if (papi().problem.empty()) probe();
  }

  [[nodiscard]] const std::vector<trace::Counter>& statuses() const noexcept override { return statuses_; }

  [[nodiscard]] std::unique_ptr<ThreadCounters> open_thread() noexcept override {
    if (accepted_.empty()) return nullptr;
    const OpenFiles guard;
    int set = PAPI_NULL;
    if (papi().create_eventset(&set) != PAPI_OK) return nullptr;
    for (const std::string& name : accepted_) {
      if (papi().add_named_event(set, name.c_str()) == PAPI_OK) continue;
      destroy_set(set);
      return nullptr;
    }
    if (papi().start(set) == PAPI_OK) return std::make_unique<PapiThread>(set, guard.opened());
    destroy_set(set);
    return nullptr;
  }

 private:
  // Adds each in turn to a set of this thread, and starts it: some problems only show then.
  void probe() {
    const OpenFiles guard;
    int set = PAPI_NULL;
    if (const int error = papi().create_eventset(&set); error != PAPI_OK) {
      for (trace::Counter& counter : statuses_) refuse(counter, error);
      return;
    }
    for (trace::Counter& counter : statuses_) try_one(set, counter);
    destroy_set(set);
    calibrate();
  }

  void try_one(int& set, trace::Counter& counter) {
    if (accepted_.size() == FORETASK_MAX_COUNTERS) {
      counter.status = trace::kCounterUnsupported;
      counter.reason = "a group has " + std::to_string(FORETASK_MAX_COUNTERS) +
                       " counters at most: begin another one (a semicolon before it)";
      return;
    }
    std::string name = event_name(counter.name);
    int error = papi().add_named_event(set, name.c_str());
    if (error != PAPI_OK && error != PAPI_EPERM && name != counter.name) {
      name = counter.name;
      error = papi().add_named_event(set, name.c_str());
    }
    if (error != PAPI_OK) return refuse_name(counter, error);
    std::array<long long, FORETASK_MAX_COUNTERS> values{};
    error = papi().start(set);
    if (error == PAPI_OK) error = papi().stop(set, values.data());
    if (error == PAPI_OK) {
      counter.status = trace::kCounterOk;
      accepted_.push_back(std::move(name));
      return;
    }
    refuse(counter, error);
    // Without the last one: a set that would not start may not give up its event.
    destroy_set(set);
    set = PAPI_NULL;
    if (papi().create_eventset(&set) != PAPI_OK) return;
    for (const std::string& accepted : accepted_) (void)papi().add_named_event(set, accepted.c_str());
  }

  // What a pair of reads counts by itself.
  void calibrate() {
    const auto thread = open_thread();
    if (!thread) {
      for (trace::Counter& counter : statuses_)
        if (counter.status == trace::kCounterOk) refuse(counter, PAPI_ESYS);
      accepted_.clear();
      return;
    }
    std::vector<std::array<std::uint64_t, kCalibrationReads>> steps(accepted_.size());
    std::array<std::uint64_t, FORETASK_MAX_COUNTERS> before{};
    std::array<std::uint64_t, FORETASK_MAX_COUNTERS> now{};
    (void)thread->read(before.data());
    for (std::size_t i = 0; i < kCalibrationReads; ++i) {
      (void)thread->read(now.data());
      for (std::size_t counter = 0; counter < accepted_.size(); ++counter)
        steps[counter][i] = now[counter] - before[counter];
      before = now;
    }
    std::size_t number = 0;
    for (trace::Counter& counter : statuses_) {
      if (counter.status != trace::kCounterOk) continue;
      auto& of_counter = steps[number++];
      std::nth_element(of_counter.begin(), of_counter.begin() + kCalibrationReads / 2, of_counter.end());
      counter.per_read = static_cast<double>(of_counter[kCalibrationReads / 2]);
    }
  }

  std::vector<trace::Counter> statuses_;
  std::vector<std::string> accepted_;  // as PAPI takes them
};

}  // namespace

std::unique_ptr<CounterSource> open_counter_source(const std::vector<std::string>& names) {
  return std::make_unique<PapiSource>(names);
}

}  // namespace foretask::runtime
