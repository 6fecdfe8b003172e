// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/elf_program.hpp"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.hpp"

namespace foretask::cli {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kOwnMachine = EM_AARCH64;
#elif defined(__riscv)
constexpr std::uint16_t kOwnMachine = EM_RISCV;
#elif defined(__powerpc64__)
constexpr std::uint16_t kOwnMachine = EM_PPC64;
#else
constexpr std::uint16_t kOwnMachine = EM_NONE;
#endif
constexpr unsigned char kOwnByteOrder = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;
constexpr std::size_t kLongestLine = 256;  // of a script's first line
constexpr std::uint64_t kLongestText = 1 << 16;
constexpr std::uint64_t kUsualText = 1 << 12;

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "32-bit Arm";
    case EM_AARCH64:
      return "AArch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "POWER";
    default:
      return "another machine's";
  }
}

// The parts of a file of this machine's. libelf checks every offset and size in it against the file's end.
class ElfReader {
 public:
  explicit ElfReader(Elf* elf) : elf_(elf) {}

  void read(ElfProgram& program) const {
    program.build_id = read_build_id();
    read_links(program);
    // One of each kind: a damaged file may say that all its sections are one and the same table.
    if (const auto symbols = first_of(SHT_DYNSYM)) read_symbols(*symbols, program);
    if (const auto symbols = first_of(SHT_SYMTAB)) {
      program.has_libgomp_inside = defines(*symbols, "GOMP_parallel");
      program.has_tbb_inside = defines(*symbols, "_ZN3tbb6detail2r15spawnERNS0_2d14taskERNS2_18task_group_contextE");
    } else if (!program.interpreter.empty() || program.needed.empty()) {
      program.has_tbb_inside = has_number_behind("oneTBB: INTERFACE VERSION\t");
    }
  }

  void read_links(ElfLinks& links) const {
    for_each_segment([&](const GElf_Phdr& segment) {
      if (segment.p_type == PT_INTERP) links.interpreter = text_at(segment.p_offset, segment.p_filesz);
    });
    const Dynamic dynamic = read_dynamic();
    for (const GElf_Dyn& entry : dynamic.entries) {
      const std::uint64_t at = entry.d_un.d_val;
      if (entry.d_tag == DT_NEEDED)
        links.needed.push_back(at >= dynamic.strings_size
                                   ? std::string()
                                   : text_at(dynamic.strings + at, std::min(dynamic.strings_size - at, kLongestText)));
    }
  }

  [[nodiscard]] std::string read_build_id() const {
    std::string id;
    for_each_segment([&](const GElf_Phdr& segment) {
      if (segment.p_type == PT_NOTE && id.empty()) id = build_id_in(segment);
    });
    return id;
  }

 private:
  struct Section {
    std::size_t strings = 0;  // the section that its names are in
    Elf_Data* data = nullptr;
  };

  // The section that the loader reads. An entry's number is its name's offset from `strings`, an offset in the file.
  struct Dynamic {
    std::vector<GElf_Dyn> entries;
    std::uint64_t strings = 0;
    std::uint64_t strings_size = 0;
  };

  template <typename Found>
  void for_each_segment(Found&& found) const {
    std::size_t segments = 0;
    elf_getphdrnum(elf_, &segments);
    for (std::size_t i = 0; i < segments; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf_, static_cast<int>(i), &segment) == nullptr) break;
      found(segment);
    }
  }

  [[nodiscard]] Dynamic read_dynamic() const {
    Dynamic dynamic;
    Elf_Data* data = nullptr;
    for_each_segment([&](const GElf_Phdr& segment) {
      if (segment.p_type == PT_DYNAMIC && data == nullptr)
        data = elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_DYN);
    });
    GElf_Dyn entry;
    std::uint64_t address = 0;
    for (int i = 0; data != nullptr && gelf_getdyn(data, i, &entry) != nullptr && entry.d_tag != DT_NULL; ++i) {
      if (entry.d_tag == DT_STRTAB) address = entry.d_un.d_ptr;
      if (entry.d_tag == DT_STRSZ) dynamic.strings_size = entry.d_un.d_val;
      dynamic.entries.push_back(entry);
    }
    bool is_in_file = false;
    for_each_segment([&](const GElf_Phdr& segment) {
      if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz)
        return;
      is_in_file = true;
      dynamic.strings = segment.p_offset + (address - segment.p_vaddr);
      dynamic.strings_size = std::min(dynamic.strings_size, segment.p_filesz - (address - segment.p_vaddr));
    });
    if (!is_in_file) dynamic.strings_size = 0;
    return dynamic;
  }

  [[nodiscard]] static bool has_text(std::string_view bytes, std::string_view text) {
    return ::memmem(bytes.data(), bytes.size(), text.data(), text.size()) != nullptr;
  }

  // The first section of a type that can be read.
  [[nodiscard]] std::optional<Section> first_of(std::uint32_t type) const {
    for (Elf_Scn* at = elf_nextscn(elf_, nullptr); at != nullptr; at = elf_nextscn(elf_, at)) {
      GElf_Shdr header;
      if (gelf_getshdr(at, &header) == nullptr || header.sh_type != type) continue;
      if (Elf_Data* const data = elf_getdata(at, nullptr)) return Section{header.sh_link, data};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::string build_id_in(const GElf_Phdr& segment) const {
    Elf_Data* const data =
        elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_NHDR);
    GElf_Nhdr note;
    std::size_t name = 0;
    std::size_t description = 0;
    for (std::size_t at = 0; data != nullptr && (at = gelf_getnote(data, at, &note, &name, &description)) > 0;) {
      const auto* const bytes = static_cast<const unsigned char*>(data->d_buf);
      using namespace std::string_view_literals;
      constexpr auto kGnu = "GNU\0"sv;  // the name's size counts its end
      if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != kGnu.size() ||
          std::string_view(reinterpret_cast<const char*>(bytes + name), note.n_namesz) != kGnu)
        continue;
      std::string hex;
      for (std::size_t i = 0; i < note.n_descsz; ++i) {
        constexpr char kDigits[] = "0123456789abcdef";
        hex += {kDigits[bytes[description + i] >> 4], kDigits[bytes[description + i] & 15]};
      }
      return hex;
    }
    return {};
  }

  [[nodiscard]] std::string_view bytes_at(std::uint64_t offset, std::uint64_t size) const {
    const Elf_Data* const data = elf_getdata_rawchunk(elf_, static_cast<std::int64_t>(offset), size, ELF_T_BYTE);
    if (data == nullptr || data->d_buf == nullptr) return {};
    return {static_cast<const char*>(data->d_buf), data->d_size};
  }

  [[nodiscard]] std::string text_at(std::uint64_t offset, std::uint64_t size) const {
    const std::string_view bytes = bytes_at(offset, size);
    return std::string(bytes.substr(0, bytes.find('\0')));
  }

  [[nodiscard]] std::string_view name_in(const Section& section, std::size_t offset) const {
    const char* const name = elf_strptr(elf_, section.strings, offset);
    return name == nullptr ? std::string_view() : std::string_view(name);
  }

  void read_symbols(const Section& section, ElfProgram& program) const {
    GElf_Sym symbol;
    for (int i = 1; gelf_getsym(section.data, i, &symbol) != nullptr; ++i) {
      if (GELF_ST_BIND(symbol.st_info) == STB_LOCAL) continue;
      if (symbol.st_shndx != SHN_UNDEF) {
        program.exports.emplace_back(name_in(section, symbol.st_name));
      } else if (GELF_ST_BIND(symbol.st_info) != STB_WEAK) {
        program.imports.emplace_back(name_in(section, symbol.st_name));
      }
    }
  }

  [[nodiscard]] bool defines(const Section& section, std::string_view wanted) const {
    // Few files have the name at all, and a table may have a million symbols.
    const Elf_Data* const names = elf_rawdata(elf_getscn(elf_, section.strings), nullptr);
    if (names == nullptr || names->d_buf == nullptr ||
        !has_text({static_cast<const char*>(names->d_buf), names->d_size}, wanted))
      return false;
    GElf_Sym symbol;
    for (int i = 1; gelf_getsym(section.data, i, &symbol) != nullptr; ++i)
      if (symbol.st_shndx != SHN_UNDEF && name_in(section, symbol.st_name) == wanted) return true;
    return false;
  }

  // True if the program's constants have the text, and a digit behind it.
  [[nodiscard]] bool has_number_behind(std::string_view text) const {
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) != 0) return false;
    for (Elf_Scn* at = elf_nextscn(elf_, nullptr); at != nullptr; at = elf_nextscn(elf_, at)) {
      GElf_Shdr header;
      if (gelf_getshdr(at, &header) == nullptr || header.sh_type != SHT_PROGBITS) continue;
      const char* const name = elf_strptr(elf_, names, header.sh_name);
      if (name == nullptr || std::string_view(name) != ".rodata") continue;
      const Elf_Data* const data = elf_rawdata(at, nullptr);
      if (data == nullptr || data->d_buf == nullptr) return false;
      std::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
      while (const void* const found = ::memmem(bytes.data(), bytes.size(), text.data(), text.size())) {
        bytes.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data()) + text.size());
        if (!bytes.empty() && is_digit(bytes.front())) return true;
      }
      return false;  // a damaged file may have many such sections
    }
    return false;
  }
  [[nodiscard]] static bool is_digit(char c) { return c >= '0' && c <= '9'; }

  Elf* elf_;
};

// "#! /bin/sh -e" -> "/bin/sh -e"; nothing where it is no script.
std::optional<std::string> script_interpreter(int fd) {
  std::array<char, kLongestLine> bytes{};
  const ssize_t size = ::pread(fd, bytes.data(), bytes.size(), 0);
  std::string_view line(bytes.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (!line.starts_with("#!")) return std::nullopt;
  line = line.substr(2, line.find('\n') - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line.substr(0, line.find_last_not_of(" \t\r") + 1));
}

using ElfFile = std::unique_ptr<Elf, int (*)(Elf*)>;

// Null: no ELF file. `header` is of no other machine's where `is_native`.
ElfFile open_elf(int fd, GElf_Ehdr& header, bool& is_native) {
  elf_version(EV_CURRENT);
  ElfFile elf(elf_begin(fd, ELF_C_READ, nullptr), elf_end);
  if (elf == nullptr || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
    return {nullptr, elf_end};
  is_native = header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == kOwnByteOrder &&
              header.e_machine == kOwnMachine;
  return elf;
}

ElfProgram read_open(int fd) {
  ElfProgram program;
  if (auto interpreter = script_interpreter(fd)) {
    program.kind = ElfProgram::Kind::kScript;
    program.interpreter = *std::move(interpreter);
    return program;
  }
  GElf_Ehdr header;
  bool is_native = false;
  const ElfFile elf = open_elf(fd, header, is_native);
  if (elf == nullptr) return program;
  program.kind = ElfProgram::Kind::kElf;
  if (is_native) {
    ElfReader(elf.get()).read(program);
  } else {
    program.machine = machine_name(header.e_machine);
  }
  return program;
}

base::FileDescriptor open_file(const std::string& path) {
  return base::FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

bool is_regular(const base::FileDescriptor& file) {
  struct stat status {};
  return file.is_open() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode);
}

// The result of `read`; nothing if the file is no library of this machine's.
template <typename Read>
auto of_library(const std::string& path, Read&& read) -> std::optional<decltype(read(ElfReader(nullptr)))> {
  const base::FileDescriptor file = open_file(path);
  GElf_Ehdr header;
  bool is_native = false;
  if (!is_regular(file)) return std::nullopt;
  const ElfFile elf = open_elf(file.get(), header, is_native);
  if (elf == nullptr || !is_native) return std::nullopt;
  return read(ElfReader(elf.get()));
}

}  // namespace

Result<ElfProgram> read_elf_program(const std::string& path) {
  const base::FileDescriptor file = open_file(path);
  if (!file.is_open()) return Error{.what = "cannot open", .path = path, .code = errno};
  return is_regular(file) ? read_open(file.get()) : ElfProgram();
}

Result<ElfLinks> read_elf_links(const std::string& path) {
  auto links = of_library(path, [](const ElfReader& reader) {
    ElfLinks found;
    reader.read_links(found);
    return found;
  });
  if (!links) return Error{.what = "is no library of this machine's", .path = path};
  return *std::move(links);
}

std::string read_build_id(const std::string& path) {
  return of_library(path, [](const ElfReader& reader) { return reader.read_build_id(); }).value_or("");
}

}  // namespace foretask::cli
