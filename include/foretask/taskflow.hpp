// SPDX-License-Identifier: Apache-2.0
// HOT: Taskflow's tasks are recorded, learned and counted. Header only; C++20. Tried with Taskflow 4.1.
//
//   #include <taskflow/taskflow.hpp>
//   #include "foretask/taskflow.hpp"
//   executor.make_observer<foretask::TaskflowObserver>();
//
// A task's kernel is its name; those without a name are of the kernel of their type. It comes after its predecessors in
// the flow. Who calls run() or async() is not seen: docs/own_runtime.md says what is assumed. Of a subflow the tasks
// without predecessor come after the task that made it, and what comes after that one comes after them too. Where
// several subflows are open at once they are taken for the latest one's.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <taskflow/taskflow.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foretask/task_hook.hpp"

namespace foretask {

class TaskflowObserver : public tf::ObserverInterface {
 public:
  void set_up(std::size_t /*workers*/) override {}

  void on_entry(tf::WorkerView /*worker*/, tf::TaskView view) override {
    if (!runtime_.records() && !runtime_.follows()) return;
    std::vector<hook::Edge> edges;
    const std::lock_guard lock(mutex_);
    std::size_t flow = 0;  // the subflow that it is in; 0: none
    bool has_predecessor = false;
    view.for_each_predecessor([&](auto before) {
      const auto found = tasks_.find(before.hash_value());
      if (found == tasks_.end()) return;
      has_predecessor = true;
      flow = found->second.flow;
      edges.push_back(hook::after(found->second.task));
      close_subflow(before.hash_value(), edges);
    });
    if (!has_predecessor && !open_.empty()) {
      flow = open_.back();
      edges.push_back(hook::after(tasks_[flow].task));
    }
    const hook::Task task = hook::begin_unsubmitted(runtime_, kernel_of(view), edges);
    // A part of a subflow within a subflow is one of both. A node's place in memory may be used again.
    for (std::size_t of = flow, depth = 0; of != 0 && depth < kDeepest; of = tasks_[of].flow, ++depth)
      tasks_[of].parts.push_back(task);
    tasks_[view.hash_value()] = {task, flow, {}};
    running().emplace_back(task);
  }

  void on_exit(tf::WorkerView /*worker*/, tf::TaskView view) override {
    if (running().empty()) return;
    running().pop_back();
    if (view.type() != tf::TaskType::SUBFLOW) return;
    const std::lock_guard lock(mutex_);
    open_.push_back(view.hash_value());
  }

 private:
  static constexpr std::size_t kDeepest = 64;
  struct Entry {
    hook::Task task;
    std::size_t flow = 0;
    std::vector<hook::Task> parts{};  // of its subflow
  };

  // A task that comes after the maker of a subflow also comes after the parts of that subflow.
  void close_subflow(std::size_t maker, std::vector<hook::Edge>& edges) {
    if (std::erase(open_, maker) == 0) return;
    for (const hook::Task& part : std::exchange(tasks_[maker].parts, {})) edges.push_back(hook::after(part));
  }

  const Kernel& kernel_of(const tf::TaskView& view) {
    const std::string name = view.name().empty() ? std::string("taskflow ") + tf::to_string(view.type()) : view.name();
    const auto found = kernels_.find(name);
    return found != kernels_.end() ? found->second : kernels_.emplace(name, Kernel(name)).first->second;
  }

  static std::deque<hook::Running>& running() {
    static thread_local std::deque<hook::Running> tasks;
    return tasks;
  }

  const hook::Runtime runtime_{"taskflow", tf::version()};
  std::mutex mutex_;
  std::unordered_map<std::string, Kernel> kernels_;
  std::unordered_map<std::size_t, Entry> tasks_;  // the latest of each node
  std::vector<std::size_t> open_;                 // subflows whose maker has ended, and nothing after it has begun
};

}  // namespace foretask
