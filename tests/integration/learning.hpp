// SPDX-License-Identifier: Apache-2.0
// Runs programs that learn, each with a store of the test's own.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "integration/cli_command.hpp"

namespace learning_test {

using cli_test::contents;
using cli_test::Outcome;
using cli_test::quoted;
using cli_test::Scratch;
using nlohmann::json;

inline std::string program(const std::string& name) { return std::string(FORETASK_LEARNING_PROGRAMS) + "/" + name; }

// With FORETASK=learn and the store scratch/home, unless `before` says otherwise.
inline Outcome run(const Scratch& scratch, std::vector<std::string> words, const std::string& before = "") {
  words[0] = program(words[0]);
  words.insert(words.begin(), {"timeout", "-k", "5", "60"});
  return cli_test::run(scratch, words, "export FORETASK=learn FORETASK_HOME=home;" + before);
}

inline Outcome steps(const Scratch& scratch, std::vector<std::string> list, const std::string& before = "") {
  list.insert(list.begin(), "steps");
  return run(scratch, list, before);
}

// What is in the store's folders, but for the lock.
inline std::vector<std::string> files(const Scratch& scratch, const std::string& home = "home") {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : cli_test::fs::recursive_directory_iterator(scratch / home, error))
    if (!entry.is_directory() && entry.path().filename() != ".lock") names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

inline std::string path_of(const Scratch& scratch, const std::string& file, const std::string& home = "home") {
  for (const auto& entry : cli_test::fs::recursive_directory_iterator(scratch / home))
    if (entry.path().filename() == file) return entry.path();
  FAIL("there is no " << file);
  return {};
}

// Of the kernel's only model.
inline std::uint64_t stored_samples(const Scratch& scratch, const std::string& kernel,
                                    const std::string& home = "home") {
  const json file = json::parse(contents(path_of(scratch, kernel + ".json", home)));
  REQUIRE(file.at("entries").size() == 1);
  return file.at("entries")[0].at("model").at("samples");
}

}  // namespace learning_test
