// SPDX-License-Identifier: Apache-2.0
// The environment that a recorded program starts with, and the note by which the recorder inside it gives the user's
// own environment back before the program's children inherit it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace foretask::cli {

class ChildEnvironment {
 public:
  // A copy of `environment` ("NAME=VALUE", null at the end).
  explicit ChildEnvironment(const char* const* environment);

  [[nodiscard]] const std::string* find(std::string_view name) const;  // the value, or null

  // Every change is put down in FORETASK_LAUNCHER_VARS, a line each: NAME to remove it again, NAME=VALUE to restore.
  void set(const std::string& name, const std::string& value);
  // The same without a note: for the program and its children.
  void set_for_all(const std::string& name, const std::string& value);
  // "value", or "value:what was there".
  void prepend(const std::string& name, const std::string& value);
  // `file` is loaded before the program's libraries. LD_PRELOAD parts names at blanks: from a folder whose name has
  // one, the library is loaded by its name alone. `file` is absolute and has no colon.
  void preload(const std::string& file);

  // For execve, with the note; valid until the next change.
  [[nodiscard]] std::vector<char*> pointers();

  // The value's own bytes, for a value that is only known at the last moment. Of the last pointers().
  [[nodiscard]] char* value_of(std::string_view name);

 private:
  struct Variable {
    std::string name;
    std::string value;
  };
  Variable* lookup(std::string_view name);

  std::vector<Variable> variables_;
  std::string undo_;
  std::vector<std::string> assignments_;
};

}  // namespace foretask::cli
