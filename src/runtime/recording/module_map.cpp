// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/module_map.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "base/file.hpp"
#include "base/module_offset.hpp"
#include "base/own_process.hpp"

namespace foretask::runtime {
namespace {

std::string build_id_of(const dl_phdr_info& info, const ElfW(Phdr) & segment) {
  constexpr char kDigits[] = "0123456789abcdef";
  const auto* at = reinterpret_cast<const unsigned char*>(info.dlpi_addr + segment.p_vaddr);
  const unsigned char* end = at + segment.p_memsz;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof note);
    const unsigned char* name = at + sizeof note;
    const unsigned char* description = name + ((note.n_namesz + 3U) & ~3U);
    if (description + note.n_descsz > end) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0) {
      std::string hex;
      for (unsigned i = 0; i < note.n_descsz; ++i) {
        hex += kDigits[description[i] >> 4];
        hex += kDigits[description[i] & 15];
      }
      return hex;
    }
    at = description + ((note.n_descsz + 3U) & ~3U);
  }
  return {};
}

int add_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& modules = *static_cast<std::vector<trace::Module>*>(data);
  trace::Module module;
  module.path = info->dlpi_name;
  // The first entry is the program itself, without a name.
  if (module.path.empty() && modules.empty()) module.path = base::link_target(base::own_proc_file("exe"));
  if (module.path.empty()) return 0;
  module.base = info->dlpi_addr;
  module.begin = ~std::uint64_t{0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type == PT_LOAD) {
      module.begin = std::min<std::uint64_t>(module.begin, info->dlpi_addr + segment.p_vaddr);
      module.end = std::max<std::uint64_t>(module.end, info->dlpi_addr + segment.p_vaddr + segment.p_memsz);
    } else if (segment.p_type == PT_NOTE && module.build_id.empty()) {
      module.build_id = build_id_of(*info, segment);
    }
  }
  if (module.begin < module.end) modules.push_back(std::move(module));
  return 0;
}

int read_unloads(dl_phdr_info* info, std::size_t size, void* data) {
  if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs)
    *static_cast<std::uint64_t*>(data) = info->dlpi_subs;
  return 1;  // of all of them alike
}

}  // namespace

std::vector<trace::Module> read_modules() {
  std::vector<trace::Module> modules;
  dl_iterate_phdr(add_module, &modules);
  return modules;
}

std::optional<trace::Module> find_module(const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  for (trace::Module& module : read_modules())
    if (address >= module.begin && address < module.end) return std::move(module);
  return std::nullopt;
}

CodePlace place_of_code(const void* code) {
  const auto address = reinterpret_cast<std::uintptr_t>(code);
  if (const auto module = find_module(code))
    return {base::module_offset_text(module->path, address - module->base), module->path};
  return {base::module_offset_text("code", address), {}};
}

std::uint64_t count_unloads() {
  std::uint64_t unloads = 0;
  dl_iterate_phdr(read_unloads, &unloads);
  return unloads;
}

}  // namespace foretask::runtime
