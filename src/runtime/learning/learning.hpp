// SPDX-License-Identifier: Apache-2.0
// The learning of this process: the learner, the store, and what of both happens when the process starts, forks and
// ends. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/tick_scale.hpp"
#include "model/store/store.hpp"
#include "predict/online/learner.hpp"
#include "runtime/kernels/kernel_registry.hpp"

namespace foretask::runtime {

class Learning {
 public:
  // Never destroyed: threads may hand over samples until the process is gone.
  [[nodiscard]] static Learning& instance();

  // Whether the end is to say what was learned; before start().
  void set_announces(bool announces) noexcept { announces_ = announces; }

  // Begins to learn, unless the environment says off.
  foretask_status start();
  // Loads the models that are stored, for who asks for predictions and does not learn. Once; ms. False: there is
  // nothing that answers, now or later.
  [[nodiscard]] bool start_answering() noexcept;

  // At the process's end, or when the library is unloaded: learns what is queued, saves, and is off for good.
  void end() noexcept;

  [[nodiscard]] predict::Learner& learner() noexcept { return learner_; }

  // What the store knows of a kernel that was just defined. Nothing while it does not learn.
  void load(foretask_kernel& kernel);
  foretask_status load_all();
  foretask_status save();
  // `kernel` is defined by code of `version`. Where that is another one and the old code is no longer loaded, the
  // kernel is stored under its old version, and goes on as after a start with the new one.
  void adopt_version(foretask_kernel& kernel, const std::string& version);
  // The terms that were found for it offline.
  [[nodiscard]] std::vector<model::Term> stored_terms(const std::string& kernel,
                                                      const std::vector<std::string>& parameters);

  // Whether worker_class() has given this number.
  [[nodiscard]] bool is_worker_class(int number) noexcept {
    return number >= 0 && number < class_count_.load(std::memory_order_acquire);
  }

  // The number of the class called `name`; -1 where there are too many.
  [[nodiscard]] int worker_class(std::string_view name, bool& is_new);

  void count_rejected() noexcept { rejected_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t rejected() const noexcept { return rejected_.load(std::memory_order_relaxed); }
  // Samples dropped where no queue could be had.
  void count_dropped() noexcept { dropped_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t dropped() const noexcept { return dropped_.load(std::memory_order_relaxed); }

  // For ticks of base::ticks_now(), once learning has started.
  [[nodiscard]] base::TickScale scale() const noexcept { return scale_; }

  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  Learning() = default;

  [[nodiscard]] model::Store* store();
  [[nodiscard]] std::optional<foretask_status> prepare();
  void announce();
  [[nodiscard]] std::vector<std::string> class_names();
  foretask_status not_saved(const Error& error);  // one line on stderr a save
  foretask_status save_kernel(model::Store& store, foretask_kernel& kernel, const std::vector<std::string>& classes);

  std::mutex mutex_;       // start, end, store
  std::mutex save_mutex_;  // one save at a time
  predict::Learner learner_;
  std::unique_ptr<model::Store> store_;
  bool store_was_sought_ = false;
  bool announces_ = false;
  bool is_prepared_ = false;
  bool ended_ = false;
  bool save_failed_ = false;  // this and the next: the save's
  bool lock_failed_ = false;
  base::TickScale scale_;
  std::mutex classes_mutex_;
  std::vector<std::string> classes_{"cpu"};
  std::atomic<int> class_count_{1};
  std::atomic<std::uint64_t> rejected_{0};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> answers_nothing_{false};
};

// What the environment asks for is not decided meanwhile.
void lock_decision();
void unlock_decision();

}  // namespace foretask::runtime
