// SPDX-License-Identifier: Apache-2.0
// The recorded graph as export writes it: which strands belong to which task, and which strand comes after which.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "integration/recorded.hpp"

namespace record_test {

class StrandGraph {
 public:
  // Reads both exports of `recorded`: csv says the tasks, graph the edges.
  StrandGraph(const Scratch& scratch, const Recorded& recorded, std::string source) : source_(std::move(source)) {
    const auto exported = [&](const char* format) {
      const Outcome outcome = cli_test::foretask(scratch, {"export", recorded.folder, "--format", format});
      INFO(outcome.err);
      REQUIRE(outcome.exit_code == 0);
      return std::istringstream(outcome.out);
    };
    std::istringstream csv = exported("csv");
    std::string line;
    std::getline(csv, line);
    REQUIRE(line == "task,kernel,worker,begin_ns,end_ns,duration_ns");
    while (std::getline(csv, line)) task_.push_back(std::stoul(line));
    std::istringstream graph = exported("graph");
    std::getline(graph, line);
    while (std::getline(graph, line)) {
      const json node = json::parse(line);
      REQUIRE(node.at("id").get<std::size_t>() == after_.size());
      kernel_.push_back(node.at("kernel").get<std::string>());
      std::vector<std::size_t> predecessors;
      if (node.contains("after"))
        for (const json& one : node.at("after")) {
          predecessors.push_back(one.is_object() ? one.at("id").get<std::size_t>() : one.get<std::size_t>());
          REQUIRE(predecessors.back() < after_.size());
        }
      after_.push_back(std::move(predecessors));
    }
    REQUIRE(after_.size() == task_.size());
  }

  // The tasks that were created on the marked line, in the order of their first strands.
  [[nodiscard]] std::vector<std::size_t> tasks_at(const std::string& mark) const {
    const std::string place = "(" + source_ + ":" + std::to_string(line_of(source_, mark)) + ")";
    std::vector<std::size_t> tasks;
    for (std::size_t strand = 0; strand < task_.size(); ++strand)
      if (kernel_[strand].find(place) != std::string::npos &&
          std::find(tasks.begin(), tasks.end(), task_[strand]) == tasks.end())
        tasks.push_back(task_[strand]);
    return tasks;
  }

  // The only task of that line.
  [[nodiscard]] std::size_t task_at(const std::string& mark) const {
    const std::vector<std::size_t> tasks = tasks_at(mark);
    INFO("tasks of '" << mark << "'");
    REQUIRE(tasks.size() == 1);
    return tasks.front();
  }

  // Whether all of `first` lies on a path to each strand of `second`: the one is over before the other begins.
  [[nodiscard]] bool is_before(std::size_t first, std::size_t second) const {
    const std::vector<char> reached = reached_from(last_strand(first));
    return reached[first_strand(second)] != 0;
  }
  [[nodiscard]] bool is_before(const std::string& first, const std::string& second) const {
    return is_before(task_at(first), task_at(second));
  }

  // The end of the one comes before the end, the start before the start of the other.
  [[nodiscard]] bool ends_before(std::size_t first, std::size_t second) const {
    return reached_from(last_strand(first))[last_strand(second)] != 0;
  }
  [[nodiscard]] bool starts_before(const std::string& first, const std::string& second) const {
    return reached_from(first_strand(task_at(first)))[first_strand(task_at(second))] != 0;
  }

  // No path either way between any of their strands: the two may run at once.
  [[nodiscard]] bool are_free(std::size_t one, std::size_t other) const {
    return !reaches(one, other) && !reaches(other, one);
  }
  [[nodiscard]] bool are_free(const std::string& one, const std::string& other) const {
    return are_free(task_at(one), task_at(other));
  }

 private:
  [[nodiscard]] bool reaches(std::size_t from, std::size_t to) const {
    const std::vector<char> reached = reached_from(first_strand(from));
    for (std::size_t strand = 0; strand < task_.size(); ++strand)
      if (task_[strand] == to && reached[strand] != 0) return true;
    return false;
  }

  [[nodiscard]] std::size_t first_strand(std::size_t task) const {
    return static_cast<std::size_t>(std::find(task_.begin(), task_.end(), task) - task_.begin());
  }

  [[nodiscard]] std::size_t last_strand(std::size_t task) const {
    return task_.size() - 1 - static_cast<std::size_t>(std::find(task_.rbegin(), task_.rend(), task) - task_.rbegin());
  }

  // Edges lead to higher numbers only, so that one pass is enough.
  [[nodiscard]] std::vector<char> reached_from(std::size_t strand) const {
    std::vector<char> reached(after_.size());
    reached[strand] = 1;
    for (std::size_t at = strand + 1; at < after_.size(); ++at)
      for (const std::size_t before : after_[at])
        if (reached[before] != 0) reached[at] = 1;
    return reached;
  }

  std::string source_;
  std::vector<std::size_t> task_;
  std::vector<std::string> kernel_;
  std::vector<std::vector<std::size_t>> after_;
};

}  // namespace record_test
