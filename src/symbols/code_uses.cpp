// SPDX-License-Identifier: Apache-2.0
#include "symbols/code_uses.hpp"

#include <gelf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace foretask::symbols {
namespace {

struct Code {
  std::uint64_t address;
  std::span<const unsigned char> bytes;

  // The bytes at `at` as a number with a sign.
  template <typename Number>
  [[nodiscard]] Number number(std::size_t at) const {
    Number value{};
    std::memcpy(&value, &bytes[at], sizeof value);
    return value;
  }
  [[nodiscard]] bool holds(std::uint64_t place) const { return place - address < bytes.size(); }
};

std::vector<Code> code_of(Elf* file) {
  std::vector<Code> all;
  std::size_t count = 0;
  if (elf_getphdrnum(file, &count) != 0) return all;
  for (std::size_t i = 0; i < count; ++i) {
    GElf_Phdr segment;
    if (gelf_getphdr(file, static_cast<int>(i), &segment) == nullptr || segment.p_type != PT_LOAD ||
        (segment.p_flags & PF_X) == 0)
      continue;
    Elf_Data* const data =
        elf_getdata_rawchunk(file, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
    if (data != nullptr) all.push_back({segment.p_vaddr, {static_cast<unsigned char*>(data->d_buf), data->d_size}});
  }
  return all;
}

// Bytes between the use of a function and the call, and as far as compilers move the use out of a loop.
constexpr std::size_t kCallWithin = 96;
constexpr std::size_t kMovedBy = 2048;

// x86-64: "lea function(%rip), register", or "mov $function, register" where the program has a fixed address. No
// instruction is decoded: what looks like one and has the address of a function is one.
void add_x86_uses(const Code& code, bool is_fixed, std::map<std::uint64_t, CodeUse>& first) {
  constexpr std::size_t kBytes = sizeof(std::int32_t);
  const auto call_after = [&code](std::size_t from) {
    const std::size_t end = std::min(code.bytes.size() - kBytes, from + kCallWithin);
    for (std::size_t at = from; at + 1 < end; ++at) {
      const unsigned char byte = code.bytes[at];
      const bool is_direct = (byte == 0xE8 || byte == 0xE9) &&
                             code.holds(code.address + at + 1 + kBytes +
                                        static_cast<std::uint64_t>(std::int64_t{code.number<std::int32_t>(at + 1)}));
      if (is_direct || (byte == 0xFF && (code.bytes[at + 1] == 0x15 || code.bytes[at + 1] == 0x25)))
        return code.address + at;
    }
    return code.address + from - 1;
  };
  // The first or the sixth argument of a call, %rdi or %r9, is where GCC's and LLVM's runtimes take the function:
  // behind "mov register, argument" where a compiler has moved the use out of a loop.
  const auto argument_after = [&code](std::size_t from, unsigned prefix, unsigned registers) {
    const unsigned source = registers & 0x38U;
    const bool is_high = (prefix & 4U) != 0;  // one of %r8 to %r15
    if (source == (is_high ? 0x08U : 0x38U)) return from;
    const unsigned mov = is_high ? 0x4CU : 0x48U;
    for (std::size_t at = from; at + 3 <= std::min(code.bytes.size(), from + kMovedBy); ++at) {
      const bool is_first = code.bytes[at] == mov && code.bytes[at + 2] == (0xC7U | source);
      const bool is_sixth = code.bytes[at] == (mov | 1U) && code.bytes[at + 2] == (0xC1U | source);
      if (code.bytes[at + 1] == 0x89 && (is_first || is_sixth)) return at + 3;
    }
    return from;
  };
  for (std::size_t at = 3; at + kBytes <= code.bytes.size(); ++at) {
    const unsigned char before = code.bytes[at - 1];
    const bool is_lea = code.bytes[at - 2] == 0x8D && (before & 0xC7) == 0x05;
    if (!is_lea && !(is_fixed && (before & 0xF8) == 0xB8)) continue;
    const std::uint64_t end = code.address + at + kBytes;
    const auto value = static_cast<std::uint64_t>(std::int64_t{code.number<std::int32_t>(at)});
    const std::uint64_t function = is_lea ? end + value : value;
    if (!code.holds(function) || first.contains(function)) continue;
    const std::size_t after = at + kBytes;
    first.emplace(function,
                  CodeUse{end - 1, call_after(is_lea ? argument_after(after, code.bytes[at - 3], before) : after)});
  }
}

// AArch64: "adrp register, page" and "add register, register, offset".
void add_arm_uses(const Code& code, std::map<std::uint64_t, CodeUse>& first) {
  constexpr std::size_t kBytes = sizeof(std::uint32_t);
  std::array<std::uint64_t, 32> pages{};  // by register
  const auto call_after = [&code](std::size_t from) {
    for (std::size_t at = from; at + kBytes <= std::min(code.bytes.size(), from + kCallWithin); at += kBytes)
      if ((code.number<std::uint32_t>(at) & 0x7C000000U) == 0x14000000U) return code.address + at;
    return code.address + from - 1;
  };
  for (std::size_t at = 0; at + kBytes <= code.bytes.size(); at += kBytes) {
    const auto word = code.number<std::uint32_t>(at);
    if ((word & 0x9F000000U) == 0x90000000U) {
      const std::uint64_t low = word >> 29U & 3U;
      const auto high = static_cast<std::int64_t>(std::uint64_t{word} << 40U) >> 45;  // bits 5 to 23 with their sign
      pages[word & 31U] =
          ((code.address + at) & ~std::uint64_t{4095}) + ((static_cast<std::uint64_t>(high) << 2U | low) << 12U);
    } else if ((word & 0xFFC00000U) == 0x91000000U) {
      const std::uint64_t function = pages[word >> 5U & 31U] + (word >> 10U & 4095U);
      if (code.holds(function) && !first.contains(function))
        first.emplace(function, CodeUse{code.address + at, call_after(at + kBytes)});
    }
  }
}

}  // namespace

std::map<std::uint64_t, CodeUse> code_uses(Elf* file) {
  std::map<std::uint64_t, CodeUse> first;
  GElf_Ehdr header;
  if (file == nullptr || gelf_getehdr(file, &header) == nullptr) return first;
  for (const Code& code : code_of(file)) {
    if (header.e_machine == EM_X86_64) add_x86_uses(code, header.e_type == ET_EXEC, first);
    if (header.e_machine == EM_AARCH64) add_arm_uses(code, first);
  }
  return first;
}

}  // namespace foretask::symbols
