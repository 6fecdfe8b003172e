// SPDX-License-Identifier: Apache-2.0
// The process's FORETASK variables, replaced for a test and put back at the end of the scope.
#pragma once

#include <stdlib.h>

#include <string>
#include <utility>
#include <vector>

extern char** environ;

namespace foretask::test {

class EnvironmentOf {
 public:
  using Variables = std::vector<std::pair<std::string, std::string>>;

  explicit EnvironmentOf(const Variables& wanted) : before_(take_all()) {
    for (const auto& [name, value] : wanted) ::setenv(name.c_str(), value.c_str(), 1);
  }
  EnvironmentOf(const EnvironmentOf&) = delete;
  EnvironmentOf& operator=(const EnvironmentOf&) = delete;
  ~EnvironmentOf() {
    (void)take_all();
    for (const auto& [name, value] : before_) ::setenv(name.c_str(), value.c_str(), 1);
  }

 private:
  static Variables take_all() {
    Variables found;
    for (char** entry = environ; entry && *entry; ++entry) {
      const std::string text = *entry;
      if (text.rfind("FORETASK", 0) == 0)
        found.emplace_back(text.substr(0, text.find('=')), text.substr(text.find('=') + 1));
    }
    for (const auto& variable : found) ::unsetenv(variable.first.c_str());
    return found;
  }

  Variables before_;
};

}  // namespace foretask::test
