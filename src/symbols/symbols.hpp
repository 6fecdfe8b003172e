// SPDX-License-Identifier: Apache-2.0
// Names of code addresses, from the module map of a recording and the files that it names: "function (file:line)" by
// debug information, "function (module+0xoffset)" by the symbol table, else "module+0xoffset". One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/process_facts.hpp"

namespace foretask::symbols {

class SymbolResolver {
 public:
  explicit SymbolResolver(std::vector<trace::Module> modules);
  SymbolResolver(SymbolResolver&&) noexcept;
  SymbolResolver& operator=(SymbolResolver&&) noexcept;
  ~SymbolResolver();

  // The call that returns to `return_address`. Code that a compiler took out of a function for OpenMP is named after
  // that function. A file that is gone, or is not the one that was recorded (by build id), gives "module+0xoffset"; an
  // address outside all modules, "0xaddress". Kept: asking again is a look-up. `is_loop`: the call asks for a loop's
  // iterations, which code inlined for the loop's bounds does not.
  [[nodiscard]] const std::string& name(std::uint64_t return_address, bool is_loop = false);

  // The file of that name's line, with its folders as compiled; empty where the name has no line.
  [[nodiscard]] const std::string& file(std::uint64_t return_address, bool is_loop = false);

  // The innermost function at `address`, inlined ones included but those of system headers: "function (file)" by debug
  // information, "function (module)" by the symbol table, "module+0xoffset" of its begin without one, else "(module)";
  // "(no file)" outside all modules. Kept.
  [[nodiscard]] const std::string& function(std::uint64_t address);
  // Whether `address` is in one of foretask's own libraries.
  [[nodiscard]] bool is_recorder(std::uint64_t address) const;

  // Whether a module with an address that was asked for calls a function of that name in another one. Reads its
  // symbols.
  [[nodiscard]] bool calls_elsewhere(std::string_view function) const;

  // Modules that could not be read or are not the recorded ones, in words, for the report.
  [[nodiscard]] const std::vector<std::string>& warnings() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace foretask::symbols
