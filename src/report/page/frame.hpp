// SPDX-License-Identifier: Apache-2.0
// What every page has around its views: the head with the style and what it may load, the heading with links to the
// views, the script and its data.
#pragma once

#include <string>
#include <string_view>

#include "report/json_output.hpp"
#include "report/output.hpp"
#include "report/plain_text.hpp"

namespace foretask::report {

// As the build embeds them (cmake/ForetaskPage.cmake).
extern const std::string_view kStyle;
extern const std::string_view kStyleDigest;  // SHA-256, in hexadecimal digits
extern const std::string_view kScript;       // empty: built without a bundler
extern const std::string_view kScriptDigest;

// Bytes as text within HTML (RFC 4648).
[[nodiscard]] std::string base64(std::string_view bytes);

// Of bytes that are written as pairs of hexadecimal digits.
[[nodiscard]] std::string base64_of_hex(std::string_view digits);

// Data for the script: JSON, compressed, as text that can hold no markup. Nothing where the page has no script.
void add_data_block(Text& text, std::string_view id, std::string json);
void add_data_block(Text& text, std::string_view id, const Json& json);

void write_framed(std::string_view title, const Text& views, Output& output);

}  // namespace foretask::report
