// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.hpp"

#include <fmt/format.h>

#include <string_view>

#include "report/markup.hpp"
#include "report/page/assets.hpp"
#include "report/page/base64.hpp"
#include "report/page/views.hpp"
#include "report/text.hpp"

namespace foretask::report {
namespace {

// What the page may load: nothing from anywhere. Its own script and style are known by their digests.
std::string policy() {
  std::string words = fmt::format("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                                  base64_of_hex(kStyleDigest));
  if (!kScript.empty()) words += fmt::format("; script-src 'sha256-{}'", base64_of_hex(kScriptDigest));
  return words;
}

}  // namespace

void write_page(const PageContent& content, Output& output) {
  const std::string title = markup_text(content.report.program.empty() ? "recording" : content.report.program);
  Text text;
  add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  add(text, "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy());
  add(text, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  add(text, "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} - foretask</title>\n", title);
  add(text, "<style>{}</style>\n</head>\n<body>\n", kStyle);
  add(text, "<header><h1>{}</h1></header>\n<main>\n", title);
  const StrandSums sums(content.timeline);
  add_answer(text, content);
  add_workers(text, content, sums);
  add_speed_up(text, content);
  add_what_if(text, content);
  add_strands(text, content);
  add_kernels(text, content, sums);
  add_critical_path(text, content);
  add_origin(text, content);
  add(text, "</main>\n");
  if (!kScript.empty()) add(text, "<script>{}</script>\n", kScript);
  add(text, "</body>\n</html>\n");
  output.write({text.data(), text.size()});
}

}  // namespace foretask::report
