// SPDX-License-Identifier: Apache-2.0
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "symbols/code_uses.hpp"
#include "symbols/debug_unit.hpp"
#include "symbols/function_name.hpp"
#include "symbols/function_starts.hpp"
#include "symbols/scope_table.hpp"
#include "symbols/symbols.hpp"
#include "symbols/task_class.hpp"
#include "symbols/task_class_name.hpp"

namespace foretask::symbols {
namespace {

// The module that the call before `return_address` lies in, or null.
const trace::Module* find_module(const std::vector<trace::Module>& modules, std::uint64_t return_address) {
  for (const trace::Module& module : modules)
    if (return_address > module.begin && return_address <= module.end) return &module;
  return nullptr;
}

// "libfoo.so" of "/usr/lib/libfoo.so".
std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// "libfoo.so+0x1234", the offset as a disassembler shows it; "0xaddress" without a module.
std::string module_offset(const trace::Module* module, std::uint64_t return_address) {
  if (module == nullptr) return fmt::format("{:#x}", return_address);
  return fmt::format("{}+{:#x}", file_name(module->path), return_address - module->base);
}

// One module's file and debug information, also a detached one. Addresses are the file's own.
class ModuleSymbols {
 public:
  // Sets `problem` where the file cannot be used.
  ModuleSymbols(const trace::Module& module, std::string& problem) {
    static const Dwfl_Callbacks callbacks{
        .find_elf = dwfl_build_id_find_elf,
        .find_debuginfo = dwfl_standard_find_debuginfo,
        .section_address = dwfl_offline_section_address,
        .debuginfo_path = nullptr,
    };
    dwfl_ = dwfl_begin(&callbacks);
    module_ = dwfl_ == nullptr ? nullptr : dwfl_report_offline(dwfl_, module.path.c_str(), module.path.c_str(), -1);
    if (module_ == nullptr) {
      problem = fmt::format("{}: cannot be read: its kernels are shown by address", module.path);
      return;
    }
    dwfl_report_end(dwfl_, nullptr, nullptr);
    if (!module.build_id.empty() && build_id() != module.build_id) {
      problem = fmt::format("{}: is not the file that was recorded: its kernels are shown by address", module.path);
      module_ = nullptr;
      return;
    }
    list_units();
  }
  ModuleSymbols(const ModuleSymbols&) = delete;
  ModuleSymbols& operator=(const ModuleSymbols&) = delete;
  ~ModuleSymbols() {
    if (dwfl_ != nullptr) dwfl_end(dwfl_);
  }

  std::optional<SourcePlace> place(std::uint64_t pc, DebugUnit::Site site) {
    const DebugUnit* const unit = unit_of(pc);
    return unit == nullptr ? std::nullopt : unit->find(pc, site);
  }

  // The construct whose code was taken out of a function and begins at `pc`. Its line is that of its own code or, where
  // compilers give it none, that of the call that starts it. The function is the one with that call, which tells
  // instances of a template apart.
  std::optional<SourcePlace> construct(std::uint64_t pc) {
    const OutlinedName outlined = outlined_at(pc);
    const DebugUnit* const unit = outlined.is_outlined ? unit_of(pc) : nullptr;
    if (unit == nullptr) return std::nullopt;
    std::optional<SourcePlace> result = unit->find_declaration(pc);
    if (const auto use = use_of(pc)) {
      if (const auto invoked = function_object(*use, find_invoked)) return invoked;
      std::optional<SourcePlace> start = place(*use, DebugUnit::Site::kCall);
      if (!result) {
        result = std::move(start);
      } else if (start && !start->function.empty()) {
        result->function = start->function;
      }
    }
    if (result && !outlined.parent.empty()) result->function = readable_function_name(outlined.parent);
    return result;
  }

  [[nodiscard]] bool calls_elsewhere(std::string_view function) const {
    const int count = module_ == nullptr ? 0 : dwfl_module_getsymtab(module_);
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Word section = SHN_UNDEF;
      const char* const name = dwfl_module_getsym(module_, i, &symbol, &section);
      if (name == nullptr || section != SHN_UNDEF) continue;
      if (std::string_view(name).substr(0, std::string_view(name).find('@')) == function) return true;
    }
    return false;
  }

  [[nodiscard]] bool is_of_task_class(std::uint64_t pc) const { return is_execute_of_task_class(linker_name(pc)); }

  // What the user wrote, where the code at `pc` is a task class's of oneTBB's headers.
  std::optional<SourcePlace> function_object(std::uint64_t pc) {
    return is_of_task_class(pc) ? function_object(pc, find_function_object) : std::nullopt;
  }
  template <typename Find>
  std::optional<SourcePlace> function_object(std::uint64_t pc, Find&& find) {
    const UnitRange* const range = range_of(pc);
    std::optional<SourcePlace> place = range == nullptr ? std::nullopt : find(range->unit, pc, scopes_);
    if (place && place->function.empty()) place->function = function_around(readable_task_class(linker_name(pc)));
    return place;
  }

  // By the symbol table; empty where it does not say.
  std::string function(std::uint64_t pc) {
    const std::string name = linker_name(pc);
    if (is_execute_of_task_class(name)) return readable_task_class(name);
    const OutlinedName outlined = parse_outlined_name(name);
    if (!outlined.parent.empty()) return readable_function_name(outlined.parent);
    if (!outlined_at(pc).is_outlined) return readable_function_name(name);
    const auto use = use_of(pc);
    return use && linker_name(*use) != name ? function(symbol_at(*use).begin) : readable_function_name(name);
  }

  // Where the function around `pc` begins, by what a file without symbols has as well.
  std::optional<std::uint64_t> function_start(std::uint64_t pc) {
    GElf_Addr bias = 0;
    if (!starts_) starts_ = function_starts(module_ == nullptr ? nullptr : dwfl_module_getelf(module_, &bias));
    const auto after = std::upper_bound(starts_->begin(), starts_->end(), pc);
    return after == starts_->begin() ? std::nullopt : std::optional(*std::prev(after));
  }

 private:
  struct UnitRange {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    Dwarf_Die unit;
  };

  struct Symbol {
    std::string name;  // empty: none
    std::uint64_t begin = 0;
  };
  [[nodiscard]] Symbol symbol_at(std::uint64_t pc) const {
    if (module_ == nullptr) return {};
    GElf_Addr bias = 0;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    if (dwfl_module_getelf(module_, &bias) == nullptr) return {};
    const char* const name = dwfl_module_addrinfo(module_, pc + bias, &offset, &symbol, nullptr, nullptr, nullptr);
    return name == nullptr ? Symbol{} : Symbol{name, pc - offset};
  }
  [[nodiscard]] std::string linker_name(std::uint64_t pc) const { return symbol_at(pc).name; }

  // Of a function that begins there.
  [[nodiscard]] OutlinedName outlined_at(std::uint64_t pc) const {
    const Symbol symbol = symbol_at(pc);
    return symbol.begin == pc ? parse_outlined_name(symbol.name) : OutlinedName{};
  }

  // The call with the function's address, or where that is taken.
  std::optional<std::uint64_t> use_of(std::uint64_t function) {
    GElf_Addr bias = 0;
    if (!uses_) uses_ = code_uses(module_ == nullptr ? nullptr : dwfl_module_getelf(module_, &bias));
    const auto found = uses_->find(function);
    if (found == uses_->end()) return std::nullopt;
    const auto [at, call] = found->second;
    return symbol_at(call).begin == symbol_at(at).begin ? call : at;
  }

  const DebugUnit* unit_of(std::uint64_t pc) {
    UnitRange* const range = range_of(pc);
    if (range == nullptr) return nullptr;
    const auto [unit, is_new] = units_.try_emplace(dwarf_dieoffset(&range->unit), nullptr);
    if (is_new) unit->second = std::make_unique<DebugUnit>(range->unit, scopes_);
    return unit->second.get();
  }

  UnitRange* range_of(std::uint64_t pc) {
    auto after = std::upper_bound(ranges_.begin(), ranges_.end(), pc,
                                  [](std::uint64_t address, const UnitRange& range) { return address < range.low; });
    while (after != ranges_.begin()) {
      --after;
      if (pc < after->high) return &*after;  // ranges of units may interleave
    }
    return nullptr;
  }

  std::string build_id() {
    const unsigned char* bits = nullptr;
    GElf_Addr address = 0;
    const int size = dwfl_module_build_id(module_, &bits, &address);
    std::string hex;
    for (int i = 0; i < size; ++i) hex += fmt::format("{:02x}", bits[i]);
    return hex;
  }

  // Not by .debug_aranges, which Clang does not write.
  void list_units() {
    Dwarf_Addr bias = 0;
    for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module_, unit, &bias)) != nullptr;) {
      Dwarf_Addr base = 0;
      Dwarf_Addr low = 0;
      Dwarf_Addr high = 0;
      for (std::ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &low, &high)) > 0;)
        if (low < high) ranges_.push_back({low, high, *unit});
    }
    std::sort(ranges_.begin(), ranges_.end(), [](const UnitRange& a, const UnitRange& b) { return a.low < b.low; });
  }

  Dwfl* dwfl_ = nullptr;
  Dwfl_Module* module_ = nullptr;  // of dwfl_; null where nothing can be said
  std::vector<UnitRange> ranges_;
  std::unordered_map<Dwarf_Off, std::unique_ptr<DebugUnit>> units_;
  ScopeTable scopes_;
  // Once they are asked for.
  std::optional<std::map<std::uint64_t, CodeUse>> uses_;
  std::optional<std::vector<std::uint64_t>> starts_;
};

}  // namespace

struct SymbolResolver::Impl {
  struct Call {
    std::string name;
    std::string file;
  };
  std::vector<trace::Module> modules;
  std::map<const trace::Module*, std::unique_ptr<ModuleSymbols>> open;
  std::array<std::unordered_map<std::uint64_t, Call>, 2> calls;  // that make tasks or regions, and that begin loops
  std::unordered_map<std::uint64_t, std::string> functions;
  std::vector<std::string> warnings;

  ModuleSymbols& symbols_of(const trace::Module& module) {
    auto& symbols = open[&module];
    if (symbols == nullptr) {
      std::string problem;
      symbols = std::make_unique<ModuleSymbols>(module, problem);
      if (!problem.empty()) warnings.push_back(problem);
    }
    return *symbols;
  }

  const Call& call(std::uint64_t return_address, bool is_loop) {
    const auto [entry, is_new] = calls[is_loop ? 1 : 0].try_emplace(return_address);
    if (is_new) entry->second = resolve(return_address, is_loop);
    return entry->second;
  }

  Call resolve(std::uint64_t return_address, bool is_loop) {
    const trace::Module* const module = find_module(modules, return_address);
    if (module == nullptr) return {module_offset(nullptr, return_address), {}};
    ModuleSymbols& symbols = symbols_of(*module);
    // The call lies before its return address, which may be another line's, or another function's.
    const std::uint64_t pc = return_address - 1 - module->base;
    const auto site = is_loop ? DebugUnit::Site::kLoop : DebugUnit::Site::kCall;
    auto place = symbols.function_object(pc);
    if (!place) place = symbols.construct(pc);
    if (!place) {
      place = symbols.place(pc, site);
      if (place && symbols.is_of_task_class(pc)) place->function = symbols.function(pc);
    }
    if (place && !place->function.empty() && place->line != 0)
      return {fmt::format("{} ({}:{})", place->function, file_name(place->file), place->line), place->file};
    const std::string offset = module_offset(module, return_address);
    const std::string function = symbols.function(pc);
    return {function.empty() ? offset : fmt::format("{} ({})", function, offset), {}};
  }

  std::string resolve_function(std::uint64_t address) {
    const trace::Module* const module = find_module(modules, address + 1);
    if (module == nullptr) return "(no file)";
    if (module->path.find('/') == std::string::npos) return fmt::format("({})", module->path);  // the kernel's own
    ModuleSymbols& symbols = symbols_of(*module);
    const std::uint64_t pc = address - module->base;
    if (const auto place = symbols.place(pc, DebugUnit::Site::kSample); place && !place->function.empty())
      return fmt::format("{} ({})", place->function, file_name(place->file));
    const std::string file = file_name(module->path);
    if (const std::string function = symbols.function(pc); !function.empty())
      return fmt::format("{} ({})", function, file);
    const auto start = symbols.function_start(pc);
    return start ? fmt::format("{}+{:#x}", file, *start) : fmt::format("({})", file);
  }
};

SymbolResolver::SymbolResolver(std::vector<trace::Module> modules) : impl_(std::make_unique<Impl>()) {
  impl_->modules = std::move(modules);
}
SymbolResolver::SymbolResolver(SymbolResolver&&) noexcept = default;
SymbolResolver& SymbolResolver::operator=(SymbolResolver&&) noexcept = default;
SymbolResolver::~SymbolResolver() = default;

const std::string& SymbolResolver::name(std::uint64_t return_address, bool is_loop) {
  return impl_->call(return_address, is_loop).name;
}

const std::string& SymbolResolver::file(std::uint64_t return_address, bool is_loop) {
  return impl_->call(return_address, is_loop).file;
}

const std::string& SymbolResolver::function(std::uint64_t address) {
  const auto [entry, is_new] = impl_->functions.try_emplace(address);
  if (is_new) entry->second = impl_->resolve_function(address);
  return entry->second;
}

bool SymbolResolver::is_recorder(std::uint64_t address) const {
  const trace::Module* const module = find_module(impl_->modules, address + 1);
  return module != nullptr && file_name(module->path).starts_with("libforetask");
}

bool SymbolResolver::calls_elsewhere(std::string_view function) const {
  return std::ranges::any_of(impl_->open, [&](const auto& one) { return one.second->calls_elsewhere(function); });
}

const std::vector<std::string>& SymbolResolver::warnings() const { return impl_->warnings; }

}  // namespace foretask::symbols
