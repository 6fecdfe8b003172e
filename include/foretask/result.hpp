// SPDX-License-Identifier: Apache-2.0
// A value, or an error that says what happened and where. Cold code only. As thread safe as its parts.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

namespace foretask {

// What went wrong, in words for a user: "path:line: what". `line` 0: no line. `code`: an errno, or 0.
struct Error {
  std::string what;
  std::string path = {};
  std::size_t line = 0;
  int code = 0;

  [[nodiscard]] std::string message() const {
    std::string text;
    if (!path.empty()) {
      text = path;
      if (line != 0) text += ":" + std::to_string(line);
      text += ": ";
    }
    text += what;
    if (code != 0) text += std::string(": ") + std::strerror(code);
    return text;
  }
};

// Either a T or an Error. Reading the wrong half is a bug of the caller (std::get throws).
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  [[nodiscard]] T& value() & { return std::get<0>(state_); }
  [[nodiscard]] const T& value() const& { return std::get<0>(state_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(state_)); }
  [[nodiscard]] const Error& error() const& { return std::get<1>(state_); }

  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}
  [[nodiscard]] bool ok() const noexcept { return ok_; }
  explicit operator bool() const noexcept { return ok_; }
  [[nodiscard]] const Error& error() const { return error_; }

 private:
  Error error_;
  bool ok_ = true;
};

}  // namespace foretask
