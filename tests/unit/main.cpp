// SPDX-License-Identifier: Apache-2.0
// Catch2's program, with three habits more: a case without a check fails, as does a name that no case has; and where
// all cases that ran were skipped, the exit code says so.
#define CATCH_CONFIG_RUNNER  // version 2: its code is compiled here
#include <cstdlib>
#include <iostream>
#include <string>

#include "catch.hpp"
#include "skip.hpp"

namespace {

int cases_run = 0;
int cases_without_check = 0;

using Listener = Catch::EventListenerBase;

class CaseCounter : public Listener {
 public:
  using Listener::Listener;
  void testCaseStarting(const Catch::TestCaseInfo& info) override { name_ = info.name; }
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ++cases_run;
    if (stats.totals.assertions.total() > 0) return;
    ++cases_without_check;
    std::cout << "failed: '" << name_ << "' has checked nothing" << std::endl;
  }

 private:
  std::string name_;
};
CATCH_REGISTER_LISTENER(CaseCounter)

}  // namespace

int main(int argc, char** argv) {
  // Tests of what is recorded look at single events.
  ::setenv("FORETASK_GRAIN_NS", "0", 0);
  Catch::Session session;
  session.configData().warnings = foretask_test::kFailWithoutTests;
  if (session.applyCommandLine(argc, argv) != 0) return 1;
  if (session.run() != 0 || cases_without_check > 0) return 1;
  return cases_run > 0 && foretask_test::skipped_cases == cases_run ? foretask_test::kSkippedExitCode : 0;
}
