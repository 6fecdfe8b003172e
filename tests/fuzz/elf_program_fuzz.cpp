// SPDX-License-Identifier: Apache-2.0
// Any bytes as a program that is to be recorded.
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "cli/launch/elf_program.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int fd = memfd_create("program", MFD_CLOEXEC);
  if (fd < 0 || write(fd, data, size) != static_cast<ssize_t>(size)) std::abort();
  const auto program = foretask::cli::read_elf_program("/proc/self/fd/" + std::to_string(fd));
  if (!program) std::abort();  // a file that can be opened is read, whatever it holds
  close(fd);
  return 0;
}
