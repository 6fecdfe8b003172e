// SPDX-License-Identifier: Apache-2.0
// Any bytes as an expression of distributions: made, or refused with a reason and a place in it; small ones are worked
// out.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "foretask/analysis/compose.hpp"
#include "foretask/analysis/distribution_text.hpp"
#include "foretask/analysis/sample_file.hpp"

namespace {

using namespace foretask;
using namespace foretask::analysis;

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

constexpr std::size_t kMostSamples = 64;
constexpr std::ptrdiff_t kMostCalls = 8;
constexpr std::ptrdiff_t kMostSlowCalls = 2;

// A leaf's own text stands for its file.
Result<MeasuredTimes> times_of(const std::string& text) {
  auto samples = parse_samples(text, "text");
  if (!samples || samples->values.size() > kMostSamples) return MeasuredTimes{{1, 2, 4}, {1, 1, 0}};
  return MeasuredTimes{std::move(samples->values), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = parse_expression(text, {.file = times_of, .kernel = times_of});
  if (parsed) {
    check(parsed->distribution.node() != nullptr, "what is parsed is there");
    check(!parsed->copies || parsed->copies->n >= 1, "copies are counted from 1");
    // Some take long under the sanitizers: gamma distributions of a shape of a million above all.
    const bool slow = text.find("gamma") != std::string_view::npos || text.find("GAMMA") != std::string_view::npos;
    if (std::count(text.begin(), text.end(), '(') > (slow ? kMostSlowCalls : kMostCalls)) return 0;
    const auto made = compose(parsed->distribution, {.resamplings = 0});
    if (!made) {
      check(!made.error().message().empty(), "what cannot be worked out is refused with the reason");
      return 0;
    }
    check(made->sd >= 0 || made->sd != made->sd, "a standard deviation is not below 0");
    check(!made->status().empty(), "a composition has a status");
    return 0;
  }
  const std::string message = parsed.error().message();
  check(message.rfind("column ", 0) == 0, "an error begins with its place");
  const unsigned long long column = std::strtoull(message.c_str() + 7, nullptr, 10);
  check(column >= 1 && column <= size + 1, "the place is in the expression");
  check(message.back() == '^', "an error ends with a caret");
  return 0;
}
