// SPDX-License-Identifier: Apache-2.0
#include "task_body.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "kit/code.hpp"

namespace foretask::tbb {
namespace {

using Kind = TaskClass::Kind;

constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
constexpr std::size_t kFirstWord = sizeof(Task) / sizeof(void*);  // of a derived class's members
constexpr std::size_t kTaskWords = 16;
constexpr std::size_t kNodeWords = 64;
constexpr std::size_t kGraphBytes = 64;  // the first ones, with what counts the graph's tasks, .../_flow_graph_impl.h
constexpr std::size_t kFilterSlot = 0;   // operator() of a filter, include/oneapi/tbb/detail/_pipeline_filters.h
constexpr std::size_t kBodySlot = 2;     // of a node's body, .../_flow_graph_body_impl.h

// Pointers that were looked at and are what they should be: a look needs the system.
constexpr std::size_t kKnown = 1 << 10;
constinit std::array<std::atomic<const void*>, kKnown> known{};

std::atomic<const void*>& place_of(const void* pointer) noexcept {
  return known[(reinterpret_cast<std::uintptr_t>(pointer) >> 3) % kKnown];
}
bool is_known(const void* pointer) noexcept { return place_of(pointer).load(std::memory_order_relaxed) == pointer; }
void note_known(const void* pointer) noexcept { place_of(pointer).store(pointer, std::memory_order_relaxed); }

// How many bytes of it could be read, whatever is there.
std::size_t read_memory(const void* from, void* to, std::size_t size) noexcept {
  const iovec own{to, size};
  const iovec other{const_cast<void*>(from), size};
  const ssize_t got = ::process_vm_readv(::getpid(), &own, 1, &other, 1, 0);
  return got > 0 ? static_cast<std::size_t>(got) : 0;
}

void* word_at(const void* object, std::size_t word) noexcept {
  void* value = nullptr;
  std::memcpy(&value, static_cast<const char*>(object) + word * sizeof(void*), sizeof value);
  return value;
}

// Whether it is the vtable of a class of oneTBB's headers whose name has the part.
bool is_table_of(const void* table, std::string_view part) noexcept {
  if (!table || reinterpret_cast<std::uintptr_t>(table) % alignof(void*) != 0) return false;
  if (is_known(table)) return true;
  const void* type = nullptr;
  std::array<const void*, 2> words{};  // of type information: its own vtable, the name
  std::array<char, 128> name{};
  if (read_memory(static_cast<const char*>(table) - sizeof type, &type, sizeof type) != sizeof type) return false;
  if (read_memory(type, words.data(), sizeof words) != sizeof words) return false;
  // A name near the end of what is mapped is shorter.
  const std::size_t size = read_memory(words[1], name.data(), name.size() - 1);
  const std::string_view text(name.data(), ::strnlen(name.data(), size));
  const bool is_of_headers = text.starts_with("N3tbb6detail2d") || text.starts_with("*N3tbb6detail2d");
  if (!is_of_headers || text.find(part) == std::string_view::npos) return false;
  note_known(table);
  return true;
}

constexpr std::string_view part_of_name(Kind kind) noexcept {
  return kind == Kind::kStage ? "15concrete_filterI" : "body_leafI";
}

// The vtable of the object that may be there.
const void* table_of(const void* object) noexcept {
  const void* table = nullptr;
  if (!object || reinterpret_cast<std::uintptr_t>(object) % alignof(void*) != 0) return nullptr;
  return read_memory(object, &table, sizeof table) == sizeof table ? table : nullptr;
}

// One more than the word of the node that points to its body; 0: none does. A node has its graph's address before that.
std::uint32_t find_body(const void* node, const void* graph) noexcept {
  std::array<void*, kNodeWords> words{};
  const std::size_t size = read_memory(node, words.data(), sizeof words);
  bool is_node = false;
  for (std::uint32_t i = 0; i < size / sizeof(void*); ++i) {
    if (words[i] == graph) is_node = true;
    if (is_node && is_table_of(table_of(words[i]), part_of_name(Kind::kNode))) return i + 1;
  }
  return 0;
}

bool is_code(const void* pointer) noexcept {
  if (is_known(pointer)) return true;
  if (!kit::find_module(pointer).is_code) return false;
  note_known(pointer);
  return true;
}

template <typename Value>
std::uint64_t read_as(const unsigned char* from) noexcept {
  Value value{};
  std::memcpy(&value, from, sizeof value);
  return value;
}

// A whole number of 1, 2, 4 or 8 bytes. A copy of a number of bytes that the compiler does not know takes 20 ns.
std::uint64_t read_number(const unsigned char* from, std::size_t bytes) noexcept {
  switch (bytes) {
    case 8:
      return read_as<std::uint64_t>(from);
    case 4:
      return read_as<std::uint32_t>(from);
    case 2:
      return read_as<std::uint16_t>(from);
    default:
      return read_as<std::uint8_t>(from);
  }
}

}  // namespace

const void* TaskBody::code_of(const Task& task) noexcept {
  if (of_.kind == Kind::kFunction) return code_of_function(task);
  if (of_.kind == Kind::kStage || of_.kind == Kind::kNode) return code_of_object(task);
  return nullptr;
}

const void* TaskBody::code_of_function(const Task& task) const noexcept {
  for (std::size_t word = of_.first_word; word <= of_.last_word; ++word)
    if (const void* const function = word_at(&task, word); is_code(function)) return kit::code_of(function);
  return nullptr;
}

const void* TaskBody::code_of_object(const Task& task) noexcept {
  std::uint32_t place = place_.load(std::memory_order_relaxed);
  if (place == 0) [[unlikely]] {
    place = find_place(task);
    place_.store(place, std::memory_order_relaxed);
  }
  if (place == kNowhere) return nullptr;
  const void* object = word_at(&task, place & 0xffff);
  // The words were found in another task of this class: the pointers in them are of the same types.
  if (of_.kind == Kind::kNode) object = word_at(object, (place >> 16) - 1);
  const void* const table = object ? word_at(object, 0) : nullptr;
  if (!table || !is_table_of(table, part_of_name(of_.kind))) return nullptr;
  return kit::code_of(word_at(table, of_.kind == Kind::kStage ? kFilterSlot : kBodySlot));
}

std::uint32_t TaskBody::find_place(const Task& task) const noexcept {
  std::array<void*, kTaskWords> words{};
  const std::size_t size = read_memory(&task, words.data(), sizeof words);
  // A node's task has its graph first, and with oneTBB 2022 what in it counts its tasks. Nodes may follow the graph in
  // memory.
  const void* const graph = of_.kind == Kind::kNode ? words[kFirstWord] : nullptr;
  for (std::uint32_t i = kFirstWord; i < size / sizeof(void*); ++i) {
    if (of_.kind == Kind::kStage) {
      if (is_table_of(table_of(words[i]), part_of_name(of_.kind))) return i;
    } else if (reinterpret_cast<std::uintptr_t>(words[i]) - reinterpret_cast<std::uintptr_t>(graph) < kGraphBytes) {
      continue;
    } else if (const std::uint32_t body = find_body(words[i], graph)) {
      return body << 16 | i;
    }
  }
  return kNowhere;
}

// include/oneapi/tbb/blocked_range.h: end, begin, grain size.
std::uint64_t TaskBody::iterations_of(const Task& task) const noexcept {
  const auto* const range = reinterpret_cast<const unsigned char*>(&task + 1);
  const std::size_t bytes = of_.index_bytes;
  std::uint64_t end = read_number(range, bytes);
  std::uint64_t begin = read_number(range + bytes, bytes);
  const std::uint64_t grain = read_as<std::size_t>(range + (2 * bytes + alignof(std::size_t) - 1) /
                                                               alignof(std::size_t) * alignof(std::size_t));
  const std::uint64_t sign = of_.index_is_signed ? std::uint64_t{1} << (8 * bytes - 1) : 0;
  // Both moved by half of the type's range, so that they compare as numbers without a sign.
  begin ^= sign;
  end ^= sign;
  return grain != 0 && begin < end && (end - begin) % of_.element_bytes == 0 ? (end - begin) / of_.element_bytes : 0;
}

}  // namespace foretask::tbb
