// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/file.hpp"

namespace foretask::base {
namespace {

std::size_t line_at(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  return 1 + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
}

// Where `text` is nested deeper than `most`; npos where it is not. Up to the first mistake in a text this sees the same
// strings and brackets as the parser, which reads no further than that.
std::size_t too_deep_at(std::string_view text, std::size_t most) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    } else if (c == '[' || c == '{') {
      if (++depth > most) return at;
    } else if ((c == ']' || c == '}') && depth != 0) {
      --depth;
    }
  }
  return std::string_view::npos;
}

// Keeps the first key that an object has twice.
template <typename Json>
class KeyCheck {
 public:
  bool operator()(typename Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) keys_.emplace_back();
    if (event == Json::parse_event_t::object_end) keys_.pop_back();
    if (event == Json::parse_event_t::key && repeated_.empty()) {
      const auto& key = parsed.template get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) repeated_ = "the key '" + key + "' is there twice";
    }
    return true;
  }
  [[nodiscard]] const std::string& repeated() const noexcept { return repeated_; }

 private:
  std::vector<std::set<std::string>> keys_;
  std::string repeated_;
};

}  // namespace

template <typename Json>
Result<Json> parse_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.size_bytes)
    return Error{"it is larger than " + std::to_string(limits.size_bytes) + " bytes"};
  if (const std::size_t deep = too_deep_at(text, limits.depth); deep != std::string_view::npos)
    return Error{.what = kJsonTooDeep, .line = line_at(text, deep)};
  try {
    if (!limits.unique_keys) return Json::parse(text);
    KeyCheck<Json> keys;
    const auto check = [&keys](int, typename Json::parse_event_t event, Json& parsed) { return keys(event, parsed); };
    Json json = Json::parse(text, check);
    if (!keys.repeated().empty()) return Error{keys.repeated()};
    return json;
  } catch (const typename Json::parse_error& problem) {
    return Error{.what = kJsonBroken, .line = line_at(text, problem.byte)};
  } catch (const typename Json::exception&) {
    return Error{"it has a number that is too large"};
  }
}

template <typename Json>
Result<Json> read_json(const std::string& path, const JsonLimits& limits) {
  const Result<std::string> text = read_file(path, limits.size_bytes);
  if (!text) return text.error();
  Result<Json> json = parse_json<Json>(*text, limits);
  if (json) return json;
  Error error = json.error();
  error.path = path;
  return error;
}

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

template Result<nlohmann::json> parse_json(std::string_view, const JsonLimits&);
template Result<nlohmann::ordered_json> parse_json(std::string_view, const JsonLimits&);
template Result<nlohmann::json> read_json(const std::string&, const JsonLimits&);
template Result<nlohmann::ordered_json> read_json(const std::string&, const JsonLimits&);

}  // namespace foretask::base
