// SPDX-License-Identifier: Apache-2.0
#include "symbols/function_starts.hpp"

#include <gelf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace foretask::symbols {
namespace {

// The encodings that all linkers write: of the number of entries unsigned, of addresses relative to the table, 4 bytes
// each.
constexpr unsigned char kVersion = 1;
constexpr unsigned char kUnsigned4 = 0x03;
constexpr unsigned char kRelativeToTable4 = 0x3b;
constexpr std::size_t kCountAt = 8;
constexpr std::size_t kEntriesAt = 12;
constexpr std::size_t kEntryBytes = 8;  // a function's begin, and where its description is

template <typename Number>
Number number_at(const Elf_Data& data, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, static_cast<const unsigned char*>(data.d_buf) + at, sizeof number);
  return number;
}

std::vector<std::uint64_t> starts_in(const Elf_Data& data, std::uint64_t address) {
  const auto* const head = static_cast<const unsigned char*>(data.d_buf);
  if (data.d_size < kEntriesAt || head[0] != kVersion || head[2] != kUnsigned4 || head[3] != kRelativeToTable4)
    return {};
  const std::size_t room = (data.d_size - kEntriesAt) / kEntryBytes;
  const std::size_t count = std::min<std::size_t>(number_at<std::uint32_t>(data, kCountAt), room);
  std::vector<std::uint64_t> starts;
  starts.reserve(count);
  for (std::size_t entry = 0; entry < count; ++entry)
    starts.push_back(address + static_cast<std::uint64_t>(
                                   std::int64_t{number_at<std::int32_t>(data, kEntriesAt + entry * kEntryBytes)}));
  std::sort(starts.begin(), starts.end());
  return starts;
}

}  // namespace

std::vector<std::uint64_t> function_starts(Elf* elf) {
  std::size_t headers = 0;
  if (elf == nullptr || elf_getphdrnum(elf, &headers) != 0) return {};
  for (std::size_t i = 0; i < headers; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, static_cast<int>(i), &header) == nullptr || header.p_type != PT_GNU_EH_FRAME) continue;
    const Elf_Data* const data =
        elf_getdata_rawchunk(elf, static_cast<std::int64_t>(header.p_offset), header.p_filesz, ELF_T_BYTE);
    return data != nullptr && data->d_buf != nullptr ? starts_in(*data, header.p_vaddr) : std::vector<std::uint64_t>();
  }
  return {};
}

}  // namespace foretask::symbols
