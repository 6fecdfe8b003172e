// SPDX-License-Identifier: Apache-2.0
// The page of a recorded run, as a user writes it. What browsers make of it: tests/page.
#include <unistd.h>

#include <array>

#include "integration/recorded.hpp"

using namespace record_test;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string page_of(const Scratch& scratch, const std::string& run, std::vector<std::string> options = {}) {
  std::vector<std::string> words{"report", run, "--html", "page.html"};
  words.insert(words.end(), options.begin(), options.end());
  const Outcome outcome = cli_test::foretask(scratch, words);
  CAPTURE(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK(outcome.out.empty());
  return contents(scratch / "page.html");
}

// What follows `before` as far as `after`.
std::string between(const std::string& text, const std::string& before, const std::string& after) {
  const std::size_t begin = text.find(before);
  REQUIRE(begin != std::string::npos);
  const std::size_t from = begin + before.size();
  return text.substr(from, text.find(after, from) - from);
}

// By another program: the digest that a browser compares.
std::string digest_by_openssl(const Scratch& scratch, const std::string& text) {
  std::ofstream(scratch / "part") << text;
  const Outcome outcome = run(scratch, {"sh", "-c", "openssl dgst -sha256 -binary part | openssl base64 -A"});
  return outcome.exit_code == 0 ? outcome.out : "";
}

}  // namespace

TEST_CASE("a page says what the report says") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "fib", {"12"});
  const std::string page = page_of(scratch, recorded.folder);
  for (const json& kernel : recorded.report.at("kernels")) {
    CAPTURE(kernel.at("name"));
    CHECK(page.find(kernel.at("name").get<std::string>()) != std::string::npos);
  }
  CHECK_THAT(page, ContainsSubstring("No event was lost, and the recording goes on to the program's end."));
  // The line that makes the tasks, and the source beside it.
  CHECK_THAT(page, ContainsSubstring("<mark>"));
  // Nothing from the machine that would change with the report's own words.
  CHECK_THAT(page, ContainsSubstring("<title>fib - foretask</title>"));
}

TEST_CASE("a page's style and script are those that its policy allows") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "fib", {"5"});
  const std::string page = page_of(scratch, recorded.folder);
  const std::string style = digest_by_openssl(scratch, between(page, "<style>", "</style>"));
  if (style.empty()) FORETASK_SKIP("no openssl");
  CHECK_THAT(page, ContainsSubstring("style-src 'sha256-" + style + "'"));
  if (page.find("<script>") == std::string::npos) return;  // built without a bundler
  const std::string script = digest_by_openssl(scratch, between(page, "<script>", "</script>"));
  CHECK_THAT(page, ContainsSubstring("script-src 'sha256-" + script + "'"));
}

TEST_CASE("an anonymous page has no path, host or command line") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "fib", {"7"});
  std::array<char, 256> host{};
  REQUIRE(::gethostname(host.data(), host.size() - 1) == 0);
  const std::string open = page_of(scratch, recorded.folder);
  CHECK_THAT(open, ContainsSubstring(kPrograms));
  const std::string page = page_of(scratch, recorded.folder, {"--anonymous"});
  for (const std::string& word :
       {kPrograms, scratch.path(), std::string(FORETASK_TESTS_DIR), "<td>" + std::string(host.data())}) {
    CAPTURE(word);
    CHECK(page.find(word) == std::string::npos);
  }
}

TEST_CASE("a page that cannot be written leaves what was there") {
  const Scratch scratch;
  const Recorded recorded = record(scratch, "fib", {"5"});
  const Outcome outcome = cli_test::foretask(scratch, {"report", recorded.folder, "--html", "none/page.html"});
  CHECK(outcome.exit_code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("foretask: error: none/page.html"));
  CHECK(cli_test::foretask(scratch, {"report", recorded.folder, "--html", "p", "--json"}).exit_code == 2);
  CHECK(cli_test::foretask(scratch, {"report", recorded.folder, "--anonymous"}).exit_code == 2);
}
