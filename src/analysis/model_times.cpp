// SPDX-License-Identifier: Apache-2.0
#include "foretask/analysis/model_times.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "analysis/kernel_names.hpp"
#include "analysis/run_impl.hpp"
#include "foretask/analysis/platform.hpp"
#include "graph/task_graph_order.hpp"
#include "model/store/store.hpp"
#include "predict/online/snapshot.hpp"
#include "runtime/recording/topology.hpp"

namespace foretask::analysis {
namespace {

constexpr std::uint32_t kNoName = 0xffffffffU;

// A kernel's models as they are stored, those saved last first.
struct KernelFile {
  std::vector<model::StoredEntry> entries;
  std::string problem;
};

KernelFile read_kernel(const model::Store& store, const std::string& kernel) {
  const std::string path = store.path_of(kernel);
  auto entries = model::Store::read_entries(path);
  if (!entries) {
    const bool is_there = entries.error().code != ENOENT && entries.error().code != ENOTDIR;
    return {{}, is_there ? entries.error().message() : "nothing is stored of it"};
  }
  if (!entries->empty() && entries->front().key.kernel != kernel) return {{}, path + ": it is of another kernel"};
  return {std::move(*entries), {}};
}

// What the store predicts of one kernel on one class.
class Forecast {
 public:
  Forecast(const KernelFile& file, const TaskGraph& graph, std::uint32_t kernel, const std::string& worker_class) {
    result_.kernel = graph.kernel_names[kernel];
    result_.worker_class = worker_class;
    const auto entry = std::find_if(file.entries.begin(), file.entries.end(), [&](const model::StoredEntry& one) {
      return one.key.worker_class == worker_class && one.model->samples() != 0;
    });
    if (entry == file.entries.end()) {
      result_.reason = file.problem.empty() ? "there is no model of it on that worker class" : file.problem;
      return;
    }
    snapshot_ = predict::Snapshot::of(*entry->model);
    names_ = entry->shape.parameters;
    lacking_.resize(names_.size());
    for (const std::string& name : names_) {
      const auto found = std::find(graph.parameter_names.begin(), graph.parameter_names.end(), name);
      numbers_.push_back(found == graph.parameter_names.end()
                             ? kNoName
                             : static_cast<std::uint32_t>(found - graph.parameter_names.begin()));
    }
  }

  // Of a task with these parameters; counted.
  std::optional<std::int64_t> time_ns(std::span<const NodeParameter> parameters) {
    ++result_.tasks;
    if (!snapshot_) return std::nullopt;
    std::array<double, model::kMaxParameters> values{};
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
      const auto given = std::ranges::find(parameters, numbers_[i], &NodeParameter::name);
      if (given == parameters.end()) {
        ++lacking_[i];
        return std::nullopt;
      }
      values[i] = given->value;
    }
    const predict::Prediction found = snapshot_->predict(values.data());
    if (found.status == predict::Status::kUncalibrated || !(found.value <= model::KernelModel::kLongest)) {
      ++useless_;
      return std::nullopt;
    }
    ++result_.predicted;
    result_.extrapolated += found.status == predict::Status::kExtrapolating ? 1 : 0;
    return std::max<std::int64_t>(std::llround(found.value), 1);
  }

  // After the last task.
  [[nodiscard]] ModelTimes finish() && {
    for (std::size_t i = 0; i < lacking_.size(); ++i)
      if (lacking_[i] != 0) add_reason(lacking_[i], "without the parameter '" + names_[i] + "'");
    if (useless_ != 0) add_reason(useless_, "with parameters for which the model gives no time");
    return std::move(result_);
  }

 private:
  void add_reason(std::uint64_t tasks, const std::string& words) {
    result_.reason += (result_.reason.empty() ? "" : ", ") + std::to_string(tasks) + " " + words;
  }

  ModelTimes result_;
  std::unique_ptr<const predict::Snapshot> snapshot_;  // null: the result's reason says why
  std::vector<std::string> names_;                     // of the kernel's parameters, in its order
  std::vector<std::uint32_t> numbers_;                 // of them in the graph; kNoName where no task has it
  std::vector<std::uint64_t> lacking_;                 // tasks, by the first parameter that they lack
  std::uint64_t useless_ = 0;                          // tasks with a prediction that is no time
};

// `time_ns` shared out over a task's nodes as their durations are, so that the shares add up to it.
void share_out(const TaskGraph& graph, std::span<const NodeIndex> nodes, std::int64_t time_ns,
               std::vector<std::int64_t>& shares) {
  const auto weight = [&graph](NodeIndex node) { return std::max<std::int64_t>(graph.duration_ns[node], 0); };
  __extension__ using Wide = __int128;
  Wide all = 0;
  for (const NodeIndex node : nodes) all += weight(node);
  const bool evenly = all == 0;
  if (evenly) all = static_cast<Wide>(nodes.size());
  shares.clear();
  Wide part = 0;
  std::int64_t before_ns = 0;
  for (const NodeIndex node : nodes) {
    part += evenly ? 1 : weight(node);
    const auto up_to_ns = static_cast<std::int64_t>(time_ns * part / all);
    shares.push_back(up_to_ns - before_ns);
    before_ns = up_to_ns;
  }
}

class Filler {
 public:
  Filler(TaskGraph& graph, model::Store& store)
      : graph_(graph),
        store_(store),
        tasks_(graph, [](const TaskGraph& all, NodeIndex node) { return all.occupies_worker(node); }),
        files_(graph.kernel_names.size()) {}

  void fill(const std::string& worker_class, std::vector<ModelTimes>& results) {
    const bool is_plain = worker_class == kPlainCore;
    const std::vector<bool> has_time = nodes_with_time(worker_class, is_plain);
    std::vector<std::optional<Forecast>> forecasts(graph_.kernel_names.size());
    std::vector<std::int64_t> shares;
    std::uint32_t number = kNoName;
    for (std::size_t task = 0; task < tasks_.tasks(); ++task) {
      const std::span<const NodeIndex> nodes = tasks_.of(task);
      if (std::all_of(nodes.begin(), nodes.end(), [&](NodeIndex node) { return has_time[node]; })) continue;
      const std::uint32_t kernel = graph_.kernel[nodes.front()];
      if (!forecasts[kernel]) forecasts[kernel].emplace(file_of(kernel), graph_, kernel, worker_class);
      const auto time_ns = forecasts[kernel]->time_ns(parameters_of(nodes.front()));
      if (!time_ns) continue;
      share_out(graph_, nodes, *time_ns, shares);
      if (!is_plain && number == kNoName) number = number_of(worker_class);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (has_time[nodes[i]]) continue;
        if (is_plain) {
          graph_.duration_ns[nodes[i]] = shares[i];
        } else {
          graph_.class_durations.push_back({nodes[i], number, shares[i]});
        }
      }
    }
    std::ranges::stable_sort(graph_.class_durations, {}, &ClassDuration::node);
    for (std::optional<Forecast>& forecast : forecasts)
      if (forecast) results.push_back(std::move(*forecast).finish());
  }

 private:
  [[nodiscard]] std::vector<bool> nodes_with_time(const std::string& worker_class, bool is_plain) const {
    std::vector<bool> has_time(graph_.size());
    if (is_plain)
      for (std::size_t node = 0; node < graph_.size(); ++node) has_time[node] = graph_.duration_ns[node] >= 0;
    for (const ClassDuration& own : graph_.class_durations)
      if (graph_.class_names[own.worker_class] == worker_class) has_time[own.node] = true;
    return has_time;
  }

  const KernelFile& file_of(std::uint32_t kernel) {
    if (!files_[kernel]) files_[kernel] = read_kernel(store_, graph_.kernel_names[kernel]);
    return *files_[kernel];
  }

  [[nodiscard]] std::span<const NodeParameter> parameters_of(NodeIndex node) const {
    const auto own = std::equal_range(graph_.parameters.begin(), graph_.parameters.end(), NodeParameter{.node = node},
                                      [](const NodeParameter& a, const NodeParameter& b) { return a.node < b.node; });
    return {own.first, own.second};
  }

  std::uint32_t number_of(const std::string& worker_class) {
    const auto found = std::find(graph_.class_names.begin(), graph_.class_names.end(), worker_class);
    const auto number = static_cast<std::uint32_t>(found - graph_.class_names.begin());
    if (found == graph_.class_names.end()) graph_.class_names.push_back(worker_class);
    return number;
  }

  TaskGraph& graph_;
  model::Store& store_;
  graph::TaskStrands tasks_;  // without waits and barriers
  std::vector<std::optional<KernelFile>> files_;
};

}  // namespace

TaskGraph graph_with_parameters(const Run& run) {
  const Run::Impl& impl = Run::Impl::of(run);
  TaskGraph graph = impl.graph;
  std::unordered_map<std::string, std::uint32_t> numbers;
  std::vector<std::vector<std::uint32_t>> of_kernel(impl.recorded.kernels.size());
  for (std::size_t kernel = 0; kernel < of_kernel.size(); ++kernel) {
    for (const std::string& name : wiring::parameters_of(impl.recorded.kernels[kernel], impl.trace)) {
      const auto [entry, is_new] = numbers.try_emplace(name, static_cast<std::uint32_t>(graph.parameter_names.size()));
      if (is_new) graph.parameter_names.push_back(name);
      of_kernel[kernel].push_back(entry->second);
    }
  }
  std::vector<bool> is_seen(graph.parent_of_task.size());
  for (NodeIndex node = 0; node < graph.size(); ++node) {
    const std::uint32_t task = graph.task_of_node[node];
    if (!graph.occupies_worker(node) || is_seen[task]) continue;
    is_seen[task] = true;
    const graph::Parameters* const values = impl.recorded.parameters.find(task);
    const std::vector<std::uint32_t>& names = of_kernel[graph.kernel[node]];
    for (std::size_t i = 0; values && i < std::min(names.size(), values->size()); ++i)
      if (std::isfinite((*values)[i])) graph.parameters.push_back({node, names[i], (*values)[i]});
  }
  return graph;
}

Result<std::vector<ModelTimes>> add_model_times(TaskGraph& graph, const std::vector<std::string>& classes,
                                                const std::string& home) {
  const auto place = model::store_home(home);
  if (!place) return place.error();
  model::Store store(*place, runtime::read_machine().fingerprint, [](const std::string&) {});
  Filler filler(graph, store);
  std::vector<ModelTimes> results;
  for (const std::string& worker_class : classes) filler.fill(worker_class, results);
  return results;
}

}  // namespace foretask::analysis
