// SPDX-License-Identifier: Apache-2.0
// JSON from texts that may be damaged or hostile, and JSON strings. Every parse of JSON goes through here: nlohmann's
// values are freed by recursion, so that a text nested deeply enough would end the process. Cold; thread safe.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "foretask/result.hpp"

namespace foretask::base {

inline constexpr const char* kJsonTooDeep = "it is nested too deeply";
inline constexpr const char* kJsonBroken = "it is no JSON";

struct JsonLimits {
  std::size_t depth = 64;                          // of arrays and objects in each other
  std::size_t size_bytes = std::size_t{64} << 20;  // of the text
  bool unique_keys = false;  // a key that an object has twice is an error, not the last one's value
};

// `Json` is nlohmann::json or nlohmann::ordered_json. The error has no path; its line is where the text goes wrong.
template <typename Json>
[[nodiscard]] Result<Json> parse_json(std::string_view text, const JsonLimits& limits = {});

// The error names `path`; its code is the errno of a file that cannot be read.
template <typename Json>
[[nodiscard]] Result<Json> read_json(const std::string& path, const JsonLimits& limits = {});

// `text` quoted, on one line. What is not UTF-8 in it is replaced.
[[nodiscard]] std::string json_string(const std::string& text);

}  // namespace foretask::base
