// SPDX-License-Identifier: Apache-2.0
// The page's style and script, as the build embeds them (cmake/ForetaskPage.cmake).
#pragma once

#include <string_view>

namespace foretask::report {

extern const std::string_view kStyle;
extern const std::string_view kStyleDigest;  // SHA-256, in hexadecimal digits
extern const std::string_view kScript;       // empty: built without a bundler
extern const std::string_view kScriptDigest;

}  // namespace foretask::report
