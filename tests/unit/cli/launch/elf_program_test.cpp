// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/elf_program.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>

#include "catch.hpp"
#include "scratch.hpp"

using namespace foretask::cli;
using foretask_test::contents;

namespace {

// What the reader says of a file with these bytes.
foretask::Result<ElfProgram> read_bytes(const std::string& bytes) {
  const foretask_test::Scratch scratch;
  std::ofstream(scratch / "program", std::ios::binary) << bytes;
  return read_elf_program(scratch / "program");
}

}  // namespace

TEST_CASE("this test program is a dynamic one that uses the C library") {
  const auto program = read_elf_program("/proc/self/exe");
  REQUIRE(program.ok());
  CHECK(program->is_native());
  CHECK_FALSE(program->is_static());
  CHECK(program->interpreter.find("ld") != std::string::npos);
  CHECK(std::find(program->needed.begin(), program->needed.end(), "libc.so.6") != program->needed.end());
  // What starts every program; the sanitizers bring functions of their own in the place of most others.
  CHECK(std::find(program->imports.begin(), program->imports.end(), "__libc_start_main") != program->imports.end());
}

TEST_CASE("a script names its interpreter") {
  const auto script = read_bytes("#!  /bin/sh -e \nexit 0\n");
  REQUIRE(script.ok());
  CHECK(script->kind == ElfProgram::Kind::kScript);
  CHECK(script->interpreter == "/bin/sh -e");
  CHECK(read_bytes("#!").value().interpreter.empty());
}

TEST_CASE("what is no program is not taken for one") {
  CHECK(read_bytes("").value().kind == ElfProgram::Kind::kOther);
  CHECK(read_bytes("text").value().kind == ElfProgram::Kind::kOther);
  CHECK(read_elf_program("/dev/null").value().kind == ElfProgram::Kind::kOther);
  CHECK_FALSE(read_elf_program("/nonexistent").ok());
}

TEST_CASE("another machine's program is told by its header") {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_machine = EM_386;
  const auto program = read_bytes(std::string(reinterpret_cast<const char*>(&header), sizeof header));
  REQUIRE(program.ok());
  CHECK(program->machine == "32-bit x86");
  CHECK_FALSE(program->is_native());
}

TEST_CASE("a library's build id is that of its GNU note, behind any other note") {
  struct Library {
    Elf64_Ehdr header{};
    Elf64_Phdr segment{};
    // Size of the name, of the value, type; name; value.
    struct Note {
      std::uint32_t name_size, size, type;
      char name[4];
      unsigned char value[4];
    } notes[2]{{4, 4, NT_GNU_ABI_TAG, "GNU", {}}, {4, 3, NT_GNU_BUILD_ID, "GNU", {0x0f, 0xa0, 0x51}}};
  } library;
  Elf64_Ehdr own{};
  REQUIRE(std::ifstream("/proc/self/exe", std::ios::binary).read(reinterpret_cast<char*>(&own), sizeof own));
  std::memcpy(library.header.e_ident, own.e_ident, EI_NIDENT);
  library.header.e_machine = own.e_machine;
  library.header.e_type = ET_DYN;
  library.header.e_version = EV_CURRENT;
  library.header.e_ehsize = sizeof library.header;
  library.header.e_phoff = offsetof(Library, segment);
  library.header.e_phentsize = sizeof library.segment;
  library.header.e_phnum = 1;
  library.segment.p_type = PT_NOTE;
  library.segment.p_offset = offsetof(Library, notes);
  library.segment.p_filesz = sizeof library.notes;
  library.segment.p_align = 4;
  const foretask_test::Scratch scratch;
  std::ofstream(scratch / "library", std::ios::binary).write(reinterpret_cast<const char*>(&library), sizeof library);
  CHECK(read_build_id(scratch / "library") == "0fa051");
  CHECK(read_elf_program(scratch / "library")->build_id == "0fa051");
  CHECK(read_build_id("/dev/null").empty());
  CHECK(read_build_id("/nonexistent").empty());
}

TEST_CASE("a program cut anywhere, or with any byte changed, is read without harm") {
  // The headers and tables are where the reader follows offsets. The whole file is half a gigabyte under the
  // sanitizers.
  std::string bytes(4096, '\0');
  REQUIRE(
      std::ifstream("/proc/self/exe", std::ios::binary).read(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  for (std::size_t size = 0; size < bytes.size(); size += 7) CHECK(read_bytes(bytes.substr(0, size)).ok());
  const std::string whole = contents("/bin/true");
  for (std::size_t at = 0; at < std::min<std::size_t>(whole.size(), 1024); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0xff);
    CHECK(read_bytes(changed).ok());
  }
}
