// SPDX-License-Identifier: Apache-2.0
#include "graph/file/graph_file_cursor.hpp"

#include <charconv>
#include <system_error>
#include <vector>

#include "base/utf8.hpp"

namespace foretask::graph {
namespace {

// Deeper values are refused: no task's annotation needs them, and the reader's memory stays bounded.
constexpr std::size_t kMaxDepth = 512;

// What a message shows of the text at hand.
std::string shown(const char* at, const char* end) {
  if (at == end) return "the end of the line";
  const auto byte = static_cast<unsigned char>(*at);
  if (byte > 0x20 && byte < 0x7f) return std::string("'") + *at + "'";
  constexpr const char* kHex = "0123456789abcdef";
  return std::string("byte 0x") + kHex[byte >> 4] + kHex[byte & 15];
}

}  // namespace

bool LineCursor::fail(std::string what) {
  if (problem_.empty()) problem_ = std::move(what);
  at_ = end_;
  return false;
}

bool LineCursor::fail_expected(char wanted) {
  return fail(std::string("expected '") + wanted + "', found " + shown(at_, end_));
}

bool LineCursor::expect_end() {
  peek();
  return at_ == end_ || fail("unexpected " + shown(at_, end_) + " after the object");
}

bool LineCursor::string(std::string_view& text, std::string& scratch) {
  if (!take('"')) return fail("expected a string, found " + shown(at_, end_));
  const char* const begin = at_;
  for (; at_ != end_; ++at_) {
    const auto byte = static_cast<unsigned char>(*at_);
    if (byte == '"') {
      text = {begin, static_cast<std::size_t>(at_ - begin)};
      ++at_;
      return true;
    }
    if (byte == '\\' || byte < 0x20 || byte >= 0x80) return string_slow(begin, text, scratch);
  }
  return fail("a string has no end");
}

// The rest of a string that holds an escape or more than ASCII: `begin` to the cursor is plain.
bool LineCursor::string_slow(const char* begin, std::string_view& text, std::string& scratch) {
  scratch.assign(begin, at_);
  while (at_ != end_) {
    const auto byte = static_cast<unsigned char>(*at_);
    if (byte == '"') {
      ++at_;
      text = scratch;
      return true;
    }
    if (byte < 0x20) return fail("a control character in a string: " + shown(at_, end_));
    if (byte == '\\') {
      ++at_;
      if (!escape(scratch)) return false;
      continue;
    }
    const std::size_t length = base::utf8_length(at_, end_);
    if (length == 0) return fail("a string is not UTF-8: " + shown(at_, end_));
    scratch.append(at_, length);
    at_ += length;
  }
  return fail("a string has no end");
}

bool LineCursor::escape(std::string& text) {
  if (at_ == end_) return fail("a string has no end");
  switch (*at_++) {
    case '"':
      text += '"';
      return true;
    case '\\':
      text += '\\';
      return true;
    case '/':
      text += '/';
      return true;
    case 'b':
      text += '\b';
      return true;
    case 'f':
      text += '\f';
      return true;
    case 'n':
      text += '\n';
      return true;
    case 'r':
      text += '\r';
      return true;
    case 't':
      text += '\t';
      return true;
    case 'u':
      break;
    default:
      return fail("an unknown escape in a string");
  }
  unsigned code = 0;
  if (!hex4(code)) return false;
  if (code >= 0xdc00 && code < 0xe000) return fail("a lone surrogate in a string");
  if (code >= 0xd800 && code < 0xdc00) {
    unsigned low = 0;
    if (end_ - at_ < 2 || at_[0] != '\\' || at_[1] != 'u') return fail("a lone surrogate in a string");
    at_ += 2;
    if (!hex4(low)) return false;
    if (low < 0xdc00 || low >= 0xe000) return fail("a lone surrogate in a string");
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  base::append_utf8(text, code);
  return true;
}

bool LineCursor::hex4(unsigned& code) {
  if (end_ - at_ < 4) return fail("\\u needs four hexadecimal digits");
  code = 0;
  for (int i = 0; i < 4; ++i) {
    const char digit = *at_++;
    code <<= 4;
    if (digit >= '0' && digit <= '9') {
      code += static_cast<unsigned>(digit - '0');
    } else if (digit >= 'a' && digit <= 'f') {
      code += static_cast<unsigned>(digit - 'a') + 10;
    } else if (digit >= 'A' && digit <= 'F') {
      code += static_cast<unsigned>(digit - 'A') + 10;
    } else {
      return fail("\\u needs four hexadecimal digits");
    }
  }
  return true;
}

bool LineCursor::number(Decimal& value, std::string_view what) {
  const char first = peek();
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  // What some programs write for numbers that JSON does not have.
  if (first == 'N' || first == 'I' || rest.starts_with("-I") || rest.starts_with("nan") || rest.starts_with("inf")) {
    return fail(std::string(what) + " is not a finite number");
  }
  const char* const behind = scan_decimal(at_, end_, value);
  if (behind == nullptr) return fail(std::string(what) + ": expected a number, found " + shown(at_, end_));
  at_ = behind;
  return true;
}

bool LineCursor::number(std::optional<double>& value, std::string_view what) {
  peek();
  const char* const begin = at_;
  Decimal decimal;
  if (!number(decimal, what)) return false;
  double nearest = 0;
  value.reset();
  if (std::from_chars(begin, at_, nearest).ec == std::errc{}) value = nearest;
  return true;
}

bool LineCursor::literal() {
  const std::string_view rest(at_, static_cast<std::size_t>(end_ - at_));
  for (const std::string_view word : {std::string_view("true"), std::string_view("false"), std::string_view("null")}) {
    if (rest.starts_with(word)) {
      at_ += word.size();
      return true;
    }
  }
  Decimal ignored;
  return number(ignored, "a value");
}

bool LineCursor::skip() {
  std::vector<char> open;  // '{' or '[' of each value that we are inside of
  std::string scratch;
  std::string_view text;
  for (;;) {
    const char first = peek();
    if (first == '{' || first == '[') {
      ++at_;
      if (!take(first == '{' ? '}' : ']')) {
        if (open.size() == kMaxDepth) return fail("a value is nested too deeply");
        open.push_back(first);
        if (first == '{' && !(string(text, scratch) && expect(':'))) return false;
        continue;
      }
    } else if (first == '"') {
      if (!string(text, scratch)) return false;
    } else if (!literal()) {
      return false;
    }
    // A value is complete: close what ends here, then go on to the next one, or leave.
    for (;;) {
      if (open.empty()) return true;
      if (take(',')) {
        if (open.back() == '{' && !(string(text, scratch) && expect(':'))) return false;
        break;
      }
      if (!expect(open.back() == '{' ? '}' : ']')) return false;
      open.pop_back();
    }
  }
}

}  // namespace foretask::graph
