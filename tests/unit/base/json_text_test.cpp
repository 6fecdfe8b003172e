// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

#include "catch.hpp"
#include "unit/base/temp_folder.hpp"

namespace base = foretask::base;
using foretask::test::TempFolder;
using foretask::test::write_content;
using nlohmann::json;

namespace {

std::string repeated(std::size_t count, const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < count; ++i) result += text;
  return result;
}

}  // namespace

TEST_CASE("a text that is nested too deeply is refused, whole or not") {
  for (const char* open : {"[", "{\"a\":", "[{\"a\":", " [ "}) {
    CAPTURE(open);
    const auto refused = base::parse_json<json>(repeated(200'000, open));
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().what == "it is nested too deeply");
  }
  const auto whole = base::parse_json<json>(repeated(200'000, "[") + repeated(200'000, "]"));
  REQUIRE_FALSE(whole.ok());
  CHECK(whole.error().what == "it is nested too deeply");
  CHECK(base::parse_json<json>(repeated(64, "[") + repeated(64, "]")).ok());
  CHECK_FALSE(base::parse_json<json>(repeated(65, "[") + repeated(65, "]")).ok());
}

TEST_CASE("brackets in strings and arrays side by side are no depth") {
  CHECK(base::parse_json<json>("[\"" + repeated(1000, "[{\\\"\\\\") + "\"]").ok());
  CHECK(base::parse_json<json>("[0" + repeated(1000, ",[{}]") + "]").ok());
}

TEST_CASE("what is no JSON is an error with its line") {
  const auto wrong = base::parse_json<json>("{\n \"a\": 1,\n \"b\": x\n}");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().what == "it is no JSON");
  CHECK(wrong.error().line == 3);
  for (const char* text : {"", "{", "[1", "\"", "\"\\", "nul", "1 2", "\xff", "]", "1e400", "{\"a\" 1}"}) {
    CAPTURE(text);
    CHECK_FALSE(base::parse_json<json>(text).ok());
  }
}

TEST_CASE("a key that is there twice is the last one, or an error where that is asked for") {
  const std::string text = "{\"a\": {\"k\": 1}, \"b\": {\"k\": 2, \"k\": 3}}";
  CHECK(base::parse_json<json>(text).value()["b"]["k"] == 3);
  const auto refused = base::parse_json<nlohmann::ordered_json>(text, {.unique_keys = true});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().what == "the key 'k' is there twice");
  CHECK(base::parse_json<json>("{\"a\": {\"k\": 1}, \"b\": {\"k\": 2}}", {.unique_keys = true}).ok());
}

TEST_CASE("a file that is too large, missing or wrong is an error that names it") {
  const TempFolder folder;
  const auto missing = base::read_json<json>(folder / "none");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code == ENOENT);
  write_content(folder / "file", "[1, 2, 3]");
  CHECK(base::read_json<json>(folder / "file").value().size() == 3);
  CHECK_FALSE(base::read_json<json>(folder / "file", {.size_bytes = 8}).ok());
  write_content(folder / "file", "[1, 2, 3");
  const auto wrong = base::read_json<json>(folder / "file");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.error().message() == (folder / "file") + ":1: it is no JSON");
}
