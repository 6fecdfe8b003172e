// SPDX-License-Identifier: Apache-2.0
#include "report/page/frame.hpp"

#include <fmt/format.h>

#include <string>

#include "report/markup.hpp"
#include "report/page/assets.hpp"
#include "report/page/base64.hpp"

namespace foretask::report {
namespace {

// What the page may load: nothing from anywhere. Its own script and style are known by their digests.
std::string policy() {
  std::string words = fmt::format("default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
                                  base64_of_hex(kStyleDigest));
  if (!kScript.empty()) words += fmt::format("; script-src 'sha256-{}'", base64_of_hex(kScriptDigest));
  return words;
}

// Links to the views that `text` has, by their headings.
std::string contents_of(std::string_view text) {
  constexpr std::string_view kHeading = "<h2 id=\"";
  std::string links = "<nav aria-label=\"Views\"><ul>\n";
  for (std::size_t at = text.find(kHeading); at != std::string_view::npos; at = text.find(kHeading, at + 1)) {
    const std::string_view id =
        text.substr(at + kHeading.size(), text.find('"', at + kHeading.size()) - at - kHeading.size());
    const std::size_t from = text.find('>', at) + 1;
    links += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", id, text.substr(from, text.find("</h2>", from) - from));
  }
  return links + "</ul></nav>\n";
}

}  // namespace

void write_framed(std::string_view title, const Text& views, Output& output) {
  const std::string shown = markup_text(title);
  const std::string_view all(views.data(), views.size());
  Text text;
  add(text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
  add(text, "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n", policy());
  add(text, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
  add(text, "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} - foretask</title>\n", shown);
  add(text, "<style>{}</style>\n</head>\n<body>\n", kStyle);
  add(text, "<header><h1>{}</h1>{}</header>\n<main>\n{}</main>\n", shown, contents_of(all), all);
  if (!kScript.empty()) add(text, "<script>{}</script>\n", kScript);
  add(text, "</body>\n</html>\n");
  output.write({text.data(), text.size()});
}

}  // namespace foretask::report
