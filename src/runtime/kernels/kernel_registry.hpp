// SPDX-License-Identifier: Apache-2.0
// The kernels of this process, by name. Any thread; takes a lock, but for what a kernel itself says.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "foretask/foretask.h"
#include "predict/online/learned_kernel.hpp"

namespace foretask::runtime {
class TeamTable;
struct TunedCode;
class TunedLoops;
class WorkTable;
}  // namespace foretask::runtime

// What foretask.h's handle points to.
struct foretask_kernel {
  foretask_kernel(std::uint32_t number, std::string its_name, std::string version, foretask::model::KernelShape shape)
      : id(number), name(std::move(its_name)), learned(std::move(shape)), code_version(std::move(version)) {}

  const std::uint32_t id;
  const std::string name;
  bool keeps_version = false;  // the program gave it; set when it is defined
  foretask::predict::LearnedKernel learned;
  // With the learner's models locked, this and the next.
  std::string code_version;
  // The file of the code that it is named after; empty where the program named it.
  std::string module;
  // A region's: tasks or loops were seen in it, so that its threads' own parts are not all that it does.
  std::atomic<bool> is_divided{false};
  // Of each class of workers, as they were loaded or saved last. With the learner's models locked.
  std::array<std::uint64_t, foretask::predict::kMaxWorkerClasses> generations{};
  // The same kernel with what is counted of its tasks among its parameters; null until the first such
  // sample, and this one itself where there can be none.
  std::atomic<foretask_kernel*> counted{nullptr};
  // Of its subtrees; null until the first one.
  std::atomic<foretask::runtime::WorkTable*> works{nullptr};
  // Of the tasks that begin its subtrees, where FORETASK=tune; null until the first one.
  std::atomic<foretask::runtime::TunedCode*> tuned{nullptr};
  // Of a region's loops whose schedule is the runtime's, where FORETASK=tune; null until the first one.
  std::atomic<foretask::runtime::TunedLoops*> tuned_loops{nullptr};
  // Of its runs on numbers of threads that are chosen; null until the first one.
  std::atomic<foretask::runtime::TeamTable*> teams{nullptr};
};

namespace foretask::runtime {

[[nodiscard]] inline std::uint32_t kernel_id(const foretask_kernel* kernel) noexcept { return kernel->id; }
[[nodiscard]] inline std::size_t kernel_parameter_count(const foretask_kernel* kernel) noexcept {
  return kernel->learned.shape().parameters.size();
}

// One of a kernel's tables, made where there is none yet; null where there is no memory. Any thread.
template <typename Table>
[[nodiscard]] Table* made_table(std::atomic<Table*>& place) noexcept {
  Table* table = place.load(std::memory_order_acquire);
  if (table) [[likely]]
    return table;
  auto* const fresh = new (std::nothrow) Table;
  if (fresh && place.compare_exchange_strong(table, fresh, std::memory_order_acq_rel)) return fresh;
  delete fresh;
  return table;
}

// A bit a parameter, for those that are known: all of `count`.
[[nodiscard]] constexpr std::uint64_t first_bits(std::size_t count) noexcept { return (std::uint64_t{1} << count) - 1; }

class KernelRegistry {
 public:
  // Never destroyed: kernels live until the process ends. There from the first call on, before main as well.
  [[nodiscard]] static KernelRegistry& instance();

  struct Definition {
    std::string_view name;
    std::vector<std::string> parameters;
    std::vector<model::Term> terms;
    std::string code_version;
    bool keeps_version = false;
  };
  struct Defined {
    foretask_kernel* kernel = nullptr;
    bool is_new = false;
    foretask_status status = FORETASK_OK;
  };
  [[nodiscard]] Defined define(Definition definition);

  // Null where there is none.
  [[nodiscard]] foretask_kernel* find(std::string_view name);

  // All of them, in the order of their ids. Those defined later are not among them.
  [[nodiscard]] std::vector<foretask_kernel*> all();

  // The same with the mutex held already.
  [[nodiscard]] std::vector<foretask_kernel*> all_unlocked();

  // The mutex, for fork handlers.
  [[nodiscard]] std::mutex& mutex() noexcept { return mutex_; }

 private:
  KernelRegistry() = default;

  std::mutex mutex_;
  std::vector<std::unique_ptr<foretask_kernel>> kernels_;
  std::unordered_map<std::string_view, foretask_kernel*> by_name_;
};

// Whether a kernel, a parameter or a class of workers may be called that: UTF-8, 1 to FORETASK_MAX_NAME bytes, no
// control characters.
[[nodiscard]] bool is_name(std::string_view text) noexcept;

}  // namespace foretask::runtime
