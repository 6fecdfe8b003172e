// SPDX-License-Identifier: Apache-2.0
// The recorded graph as one of tasks: which task comes after the end of which, leaving out the code that creates them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "integration/recorded.hpp"

namespace record_test {

struct TaskEdges {
  using Edges = std::set<std::pair<std::size_t, std::size_t>>;
  std::vector<std::string> kernels;  // of the tasks, in order of creation
  Edges edges;                       // (earlier, later): a dependence of the later task's first strand
  std::vector<json> nodes;           // of the graph, as exported

  // Tasks are what `is_task` says of a kernel's name: without it, all but the program's own code.
  template <typename IsTask>
  TaskEdges(const Scratch& scratch, const std::string& folder, IsTask is_task,
            const std::vector<std::string>& options = {}) {
    read(scratch, folder, is_task, options);
  }
  TaskEdges(const Scratch& scratch, const std::string& folder, const std::vector<std::string>& options = {}) {
    read(
        scratch, folder, [](const std::string& kernel) { return kernel.find('(') == std::string::npos; }, options);
  }

 private:
  static std::string exported(const Scratch& scratch, const std::string& folder, const char* format,
                              const std::vector<std::string>& options) {
    std::vector<std::string> words{"export", folder, "--format", format};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = cli_test::foretask(scratch, words);
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome.out;
  }

  template <typename IsTask>
  void read(const Scratch& scratch, const std::string& folder, IsTask is_task,
            const std::vector<std::string>& options) {
    std::istringstream csv(exported(scratch, folder, "csv", options));
    std::istringstream graph(exported(scratch, folder, "graph", options));
    std::string line;
    std::vector<std::size_t> task_of_node;
    std::getline(csv, line);
    while (std::getline(csv, line)) task_of_node.push_back(std::stoul(line));
    std::getline(graph, line);
    while (std::getline(graph, line)) nodes.push_back(json::parse(line));
    REQUIRE(nodes.size() == task_of_node.size());

    // The graph's numbers of tasks are in order of creation; the tasks' own leave out what is none.
    std::map<std::size_t, std::string> found;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const auto kernel = nodes[node].at("kernel").get<std::string>();
      if (is_task(kernel)) found.emplace(task_of_node[node], kernel);
    }
    std::map<std::size_t, std::size_t> number;
    for (const auto& [task, kernel] : found) {
      number.emplace(task, kernels.size());
      kernels.push_back(kernel);
    }
    std::set<std::size_t> begun;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const std::size_t task = task_of_node[node];
      if (number.count(task) == 0 || !begun.insert(task).second || !nodes[node].contains("after")) continue;
      for (const json& one : nodes[node].at("after")) {
        const auto before = task_of_node[one.is_object() ? one.at("id").get<std::size_t>() : one.get<std::size_t>()];
        if (before != task && number.count(before) != 0) edges.emplace(number.at(before), number.at(task));
      }
    }
  }
};

}  // namespace record_test
