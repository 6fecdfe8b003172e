// SPDX-License-Identifier: Apache-2.0
// Catch2's program, with three habits more: a case without a check fails, as does a name that no case has; and where
// all cases that ran were skipped, the exit code says so.
#define CATCH_CONFIG_RUNNER
#include "skip.hpp"

namespace {

int cases_run = 0;
int cases_without_check = 0;

class CaseCounter : public Catch::TestEventListenerBase {
 public:
  using TestEventListenerBase::TestEventListenerBase;
  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    ++cases_run;
    if (stats.totals.assertions.total() > 0) return;
    ++cases_without_check;
    std::cout << "failed: '" << stats.testInfo.name << "' has checked nothing" << std::endl;
  }
};
CATCH_REGISTER_LISTENER(CaseCounter)

}  // namespace

int main(int argc, char** argv) {
  Catch::Session session;
  session.configData().warnings = Catch::WarnAbout::NoTests;
  if (session.applyCommandLine(argc, argv) != 0) return 1;
  if (session.run() != 0 || cases_without_check > 0) return 1;
  return cases_run > 0 && foretask_test::skipped_cases == cases_run ? foretask_test::kSkippedExitCode : 0;
}
