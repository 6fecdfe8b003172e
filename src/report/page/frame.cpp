// SPDX-License-Identifier: Apache-2.0
#include "report/page/frame.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "report/plain_text.hpp"

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

constexpr int kGzipWindowBits = 15 + 16;  // zlib: 16 more asks for a gzip header
constexpr int kMemoryLevel = 9;

// Empty: zlib has no memory.
std::string gzip(std::string& bytes) {
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindowBits, kMemoryLevel, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    return {};
  std::string packed(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
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

void add_data_block(Text& text, std::string_view id, std::string json) {
  if (kScript.empty()) return;
  add(text, "<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", id, base64(gzip(json)));
}

void add_data_block(Text& text, std::string_view id, const Json& json) {
  add_data_block(text, id, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(bytes.size() - i, 3);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? static_cast<std::uint8_t>(bytes[i + j]) : 0U);
    for (std::size_t j = 0; j < 4; ++j) text += j <= count ? kLetters[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::string base64_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 2 <= digits.size(); i += 2) {
    std::uint8_t byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes += static_cast<char>(byte);
  }
  return base64(bytes);
}

}  // namespace foretask::report
