// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/child_environment.hpp"

#include <algorithm>

namespace foretask::cli {
namespace {

constexpr std::string_view kUndoName = "FORETASK_LAUNCHER_VARS";

}  // namespace

ChildEnvironment::ChildEnvironment(const char* const* environment) {
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view text = *environment;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = text.substr(0, equals);
    // A launcher inside a launcher: its note is of no use to this program.
    if (name == kUndoName) continue;
    variables_.push_back({std::string(name), std::string(text.substr(equals + 1))});
  }
}

ChildEnvironment::Variable* ChildEnvironment::lookup(std::string_view name) {
  const auto found =
      std::find_if(variables_.begin(), variables_.end(), [name](const Variable& v) { return v.name == name; });
  return found == variables_.end() ? nullptr : &*found;
}

const std::string* ChildEnvironment::find(std::string_view name) const {
  const Variable* const variable = const_cast<ChildEnvironment*>(this)->lookup(name);
  return variable == nullptr ? nullptr : &variable->value;
}

void ChildEnvironment::set(const std::string& name, const std::string& value) {
  Variable* const variable = lookup(name);
  const bool noted = ("\n" + undo_).find("\n" + name + "\n") != std::string::npos ||
                     ("\n" + undo_).find("\n" + name + "=") != std::string::npos;
  if (!noted) {
    undo_ += name;
    // A value of several lines cannot be told in the note: the variable is removed then.
    if (variable != nullptr && variable->value.find('\n') == std::string::npos) undo_ += "=" + variable->value;
    undo_ += "\n";
  }
  set_for_all(name, value);
}

void ChildEnvironment::set_for_all(const std::string& name, const std::string& value) {
  if (Variable* const variable = lookup(name)) {
    variable->value = value;
  } else {
    variables_.push_back({name, value});
  }
}

void ChildEnvironment::prepend(const std::string& name, const std::string& value) {
  const std::string* const old = find(name);
  set(name, old == nullptr || old->empty() ? value : value + ":" + *old);
}

void ChildEnvironment::preload(const std::string& file) {
  if (file.find(' ') == std::string::npos) return prepend("LD_PRELOAD", file);
  const std::size_t slash = file.rfind('/');
  prepend("LD_LIBRARY_PATH", file.substr(0, slash));
  prepend("LD_PRELOAD", file.substr(slash + 1));
}

std::vector<char*> ChildEnvironment::pointers() {
  assignments_.clear();
  for (const Variable& variable : variables_) assignments_.push_back(variable.name + "=" + variable.value);
  if (!undo_.empty()) assignments_.push_back(std::string(kUndoName) + "=" + undo_ + std::string(kUndoName));
  std::vector<char*> pointers;
  for (std::string& assignment : assignments_) pointers.push_back(assignment.data());
  pointers.push_back(nullptr);
  return pointers;
}

char* ChildEnvironment::value_of(std::string_view name) {
  for (std::string& assignment : assignments_) {
    if (assignment.size() > name.size() && assignment[name.size()] == '=' &&
        std::string_view(assignment).substr(0, name.size()) == name)
      return assignment.data() + name.size() + 1;
  }
  return nullptr;
}

}  // namespace foretask::cli
