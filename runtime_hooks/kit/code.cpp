// SPDX-License-Identifier: Apache-2.0
#include "kit/code.hpp"

#include <link.h>

#include <algorithm>

namespace foretask::kit {
namespace {

struct Search {
  std::uintptr_t address;
  Module found;
};

// For dl_iterate_phdr. The program itself has no name.
int take_module(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  Module module{.begin = UINTPTR_MAX, .is_program = info->dlpi_name == nullptr || *info->dlpi_name == '\0'};
  std::uintptr_t end = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    module.begin = std::min(module.begin, begin);
    end = std::max(end, begin + segment.p_memsz);
    if (search.address - begin >= segment.p_memsz) continue;
    module.segment_end = begin + segment.p_memsz;
    module.is_code = (segment.p_flags & PF_X) != 0;
  }
  module.bytes = end - module.begin;
  if (search.address - module.begin >= module.bytes) return 0;
  search.found = module;
  return 1;
}

}  // namespace

Module find_module(const void* address) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), {}};
  ::dl_iterate_phdr(take_module, &search);
  return search.found;
}

}  // namespace foretask::kit
