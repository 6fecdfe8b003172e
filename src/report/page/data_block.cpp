// SPDX-License-Identifier: Apache-2.0
#include "report/page/data_block.hpp"

#include <zlib.h>

#include <string>

#include "report/page/assets.hpp"
#include "report/page/base64.hpp"

namespace foretask::report {
namespace {

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

void add_data_block(Text& text, std::string_view id, std::string json) {
  if (kScript.empty()) return;
  add(text, "<script type=\"application/octet-stream\" id=\"{}\">{}</script>\n", id, base64(gzip(json)));
}

void add_data_block(Text& text, std::string_view id, const Json& json) {
  add_data_block(text, id, json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace foretask::report
