// SPDX-License-Identifier: Apache-2.0
// Catch2 for the tests: the names of version 3 (Debian 13), which version 2 (Debian 12) gets here as well.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>

using Catch::Approx;

namespace foretask_test {
constexpr auto kFailWithoutTests = Catch::WarnAbout::UnmatchedTestSpec;
}
#else
#include <catch2/catch.hpp>
#include <string>

namespace Catch {

#ifdef CATCH_CONFIG_RUNNER
using EventListenerBase = TestEventListenerBase;
#endif

namespace Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Matchers

}  // namespace Catch

namespace foretask_test {
constexpr auto kFailWithoutTests = Catch::WarnAbout::NoTests;
}
#endif
