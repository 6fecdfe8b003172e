// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/elf_program.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

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
constexpr std::uint16_t kHiddenVersion = 0x8000;  // of a .gnu.version entry: not the default version
constexpr unsigned kMaxVersionSteps = 1U << 16;

// A file, mapped for reading, whose every access is checked against its end.
class MappedFile {
 public:
  static Result<MappedFile> open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return Error{.what = "cannot open", .path = path, .code = errno};
    MappedFile file;
    struct stat status {};
    if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* const bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
      if (bytes != MAP_FAILED) file.bytes_ = {static_cast<const char*>(bytes), size};
    }
    ::close(fd);
    return file;
  }
  MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }

  [[nodiscard]] std::string_view bytes() const { return bytes_; }

  // A copy, since a damaged file aligns nothing.
  template <typename T>
  [[nodiscard]] std::optional<T> read(std::uint64_t offset) const {
    T value;
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof value) return std::nullopt;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }

  [[nodiscard]] std::string text(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return {};
    const std::string_view rest = bytes_.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }

 private:
  MappedFile() = default;
  std::string_view bytes_;
};

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

// The parts of one 64-bit file of this machine's byte order, by its section headers.
class ElfReader {
 public:
  ElfReader(const MappedFile& file, const Elf64_Ehdr& header) : file_(file), header_(header) {}

  void read(ElfProgram& program) const {
    for (unsigned i = 0; i < header_.e_phnum; ++i) {
      const auto segment = file_.read<Elf64_Phdr>(header_.e_phoff + std::uint64_t{i} * header_.e_phentsize);
      if (segment && segment->p_type == PT_INTERP) program.interpreter = file_.text(segment->p_offset);
    }
    // One of each kind: a damaged file may say that all its sections are one and the same table.
    if (const auto dynamic = first_of(SHT_DYNAMIC)) read_needed(*section_at(*dynamic), program);
    if (const auto symbols = first_of(SHT_DYNSYM)) read_symbols(*symbols, *section_at(*symbols), program);
    if (const auto symbols = first_of(SHT_SYMTAB))
      program.has_libgomp_inside = defines(*section_at(*symbols), "GOMP_parallel");
  }

 private:
  struct Version {
    std::string name;
    std::string library;
  };
  using Versions = std::map<std::uint16_t, Version>;

  [[nodiscard]] std::optional<Elf64_Shdr> section_at(unsigned index) const {
    return file_.read<Elf64_Shdr>(header_.e_shoff + std::uint64_t{index} * header_.e_shentsize);
  }

  // The first section of a type, of those that belong to section `of` where that is asked.
  [[nodiscard]] std::optional<unsigned> first_of(std::uint32_t type, std::optional<unsigned> of = {}) const {
    for (unsigned i = 0; i < header_.e_shnum; ++i) {
      const auto section = section_at(i);
      if (section && section->sh_type == type && (!of || section->sh_link == *of)) return i;
    }
    return std::nullopt;
  }

  // The string table that a section links to starts here.
  [[nodiscard]] std::uint64_t strings_of(const Elf64_Shdr& section) const {
    const auto strings = section_at(section.sh_link);
    return strings ? strings->sh_offset : file_.bytes().size();
  }

  void read_needed(const Elf64_Shdr& section, ElfProgram& program) const {
    const std::uint64_t strings = strings_of(section);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= section.sh_size; at += sizeof(Elf64_Dyn)) {
      const auto entry = file_.read<Elf64_Dyn>(section.sh_offset + at);
      if (!entry || entry->d_tag == DT_NULL) return;
      if (entry->d_tag == DT_NEEDED) program.needed.push_back(file_.text(strings + entry->d_un.d_val));
    }
  }

  // Chains of the file's own offsets. Each step goes forward; a damaged file may still overlap them without end, so
  // that their steps are counted.
  void read_asked_versions(const Elf64_Shdr& section, Versions& versions) const {
    const std::uint64_t strings = strings_of(section);
    std::uint64_t at = section.sh_offset;
    unsigned steps = 0;
    while (const auto need = file_.read<Elf64_Verneed>(at)) {
      std::uint64_t aux_at = at + need->vn_aux;
      for (unsigned i = 0; i < need->vn_cnt; ++i) {
        if (++steps > kMaxVersionSteps) return;
        const auto aux = file_.read<Elf64_Vernaux>(aux_at);
        if (!aux) break;
        versions[aux->vna_other & ~kHiddenVersion] = {file_.text(strings + aux->vna_name),
                                                      file_.text(strings + need->vn_file)};
        if (aux->vna_next == 0) break;
        aux_at += aux->vna_next;
      }
      if (need->vn_next == 0) break;
      at += need->vn_next;
    }
  }

  void read_defined_versions(const Elf64_Shdr& section, Versions& versions) const {
    const std::uint64_t strings = strings_of(section);
    std::uint64_t at = section.sh_offset;
    unsigned steps = 0;
    while (const auto definition = file_.read<Elf64_Verdef>(at)) {
      if (++steps > kMaxVersionSteps) return;
      if (const auto aux = file_.read<Elf64_Verdaux>(at + definition->vd_aux))
        versions[definition->vd_ndx & ~kHiddenVersion] = {file_.text(strings + aux->vda_name), {}};
      if (definition->vd_next == 0) break;
      at += definition->vd_next;
    }
  }

  void read_symbols(unsigned index, const Elf64_Shdr& section, ElfProgram& program) const {
    Versions versions;
    std::optional<Elf64_Shdr> version_of_symbol;
    if (const auto asked = first_of(SHT_GNU_verneed)) read_asked_versions(*section_at(*asked), versions);
    if (const auto defined = first_of(SHT_GNU_verdef)) read_defined_versions(*section_at(*defined), versions);
    if (const auto numbers = first_of(SHT_GNU_versym, index)) version_of_symbol = section_at(*numbers);
    const std::uint64_t strings = strings_of(section);
    const std::uint64_t count = section.sh_size / sizeof(Elf64_Sym);
    for (std::uint64_t i = 1; i < count; ++i) {
      const auto symbol = file_.read<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) return;
      if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
      ElfSymbol entry{.name = file_.text(strings + symbol->st_name)};
      if (version_of_symbol) {
        const auto number = file_.read<std::uint16_t>(version_of_symbol->sh_offset + i * sizeof(std::uint16_t));
        const auto version = versions.find(number.value_or(0) & ~kHiddenVersion);
        // 0 is local and 1 global: no version of its own.
        if (version != versions.end() && version->first > VER_NDX_GLOBAL) {
          entry.version = version->second.name;
          entry.library = version->second.library;
        }
      }
      if (symbol->st_shndx != SHN_UNDEF) {
        program.exports.push_back(std::move(entry));
      } else if (ELF64_ST_BIND(symbol->st_info) != STB_WEAK) {
        program.imports.push_back(std::move(entry));
      }
    }
  }

  [[nodiscard]] bool defines(const Elf64_Shdr& section, std::string_view wanted) const {
    const std::uint64_t strings = strings_of(section);
    for (std::uint64_t i = 1; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = file_.read<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) return false;
      if (symbol->st_shndx == SHN_UNDEF || symbol->st_name == 0) continue;
      const std::uint64_t name = strings + symbol->st_name;
      if (name < file_.bytes().size() && file_.bytes().substr(name).substr(0, wanted.size()) == wanted &&
          file_.read<char>(name + wanted.size()) == '\0')
        return true;
    }
    return false;
  }

  const MappedFile& file_;
  const Elf64_Ehdr& header_;
};

// "#! /bin/sh -e" -> "/bin/sh -e"
std::string script_interpreter(std::string_view bytes) {
  std::string_view line = bytes.substr(2, std::min<std::size_t>(bytes.find('\n'), 256) - 2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line.substr(0, line.find_last_not_of(" \t\r") + 1));
}

}  // namespace

Result<ElfProgram> read_elf_program(const std::string& path) {
  const auto file = MappedFile::open(path);
  if (!file) return file.error();
  ElfProgram program;
  if (file->bytes().substr(0, 2) == "#!") {
    program.kind = ElfProgram::Kind::kScript;
    program.interpreter = script_interpreter(file->bytes());
    return program;
  }
  if (file->bytes().substr(0, SELFMAG) != ELFMAG) return program;
  const auto ident = file->read<std::array<unsigned char, EI_NIDENT>>(0);
  const auto machine = file->read<std::uint16_t>(offsetof(Elf64_Ehdr, e_machine));  // at one place in both classes
  if (!ident || !machine) return program;
  program.kind = ElfProgram::Kind::kElf;
  if ((*ident)[EI_CLASS] != ELFCLASS64 || (*ident)[EI_DATA] != kOwnByteOrder || *machine != kOwnMachine) {
    program.machine = machine_name(*machine);
    return program;
  }
  if (const auto header = file->read<Elf64_Ehdr>(0)) ElfReader(*file, *header).read(program);
  return program;
}

}  // namespace foretask::cli
