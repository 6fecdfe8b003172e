// SPDX-License-Identifier: Apache-2.0
#include "simulate/cores/page_array.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

namespace foretask::simulate {
namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
// Below, the heap's own pages do, and a mapping of its own would cost more than it saves.
constexpr std::size_t kMappedFrom = 2 * kHugePage;

std::size_t whole_pages(std::size_t bytes) noexcept { return (bytes + kHugePage - 1) / kHugePage * kHugePage; }

}  // namespace

void* allocate_zeroed(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  if (bytes < kMappedFrom) {
    void* const memory = std::calloc(bytes, 1);
    if (memory == nullptr) throw std::bad_alloc();
    return memory;
  }
  // One page more than needed, so that the array can begin at a huge page's boundary; what is over goes back.
  const std::size_t wanted = whole_pages(bytes);
  void* const mapping = ::mmap(nullptr, wanted + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<char*>(mapping);
  const std::size_t before =
      whole_pages(reinterpret_cast<std::uintptr_t>(begin)) - reinterpret_cast<std::uintptr_t>(begin);
  if (before != 0) ::munmap(begin, before);
  if (before != kHugePage) ::munmap(begin + before + wanted, kHugePage - before);
  ::madvise(begin + before, wanted, MADV_HUGEPAGE);  // advice alone: small pages do where it is refused
  return begin + before;
}

void deallocate(void* memory, std::size_t bytes) noexcept {
  if (bytes < kMappedFrom) {
    std::free(memory);
  } else {
    ::munmap(memory, whole_pages(bytes));
  }
}

}  // namespace foretask::simulate
