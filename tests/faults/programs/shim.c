// SPDX-License-Identifier: Apache-2.0
// Preloaded: calls of foretask's libraries fail, the program's own do not. FAULTS_SHIM=CALL:ERRNO:FIRST:COUNT fails the
// calls of that name from the FIRST one (1) on, COUNT of them. FAULTS_SHIM_HITS names a file that gets a line a
// failure.
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "filter.h"

static char wanted[32];
static int code;
static long first;
static long count;
static char hits[512];
static atomic_long calls;

__attribute__((constructor)) static void read_plan(void) {
  char error[16] = "";
  const char* const plan = getenv("FAULTS_SHIM");
  const char* const file = getenv("FAULTS_SHIM_HITS");
  if (plan) sscanf(plan, "%31[^:]:%15[^:]:%ld:%ld", wanted, error, &first, &count);
  if (file) snprintf(hits, sizeof hits, "%s", file);
  code = error_of(error);
}

static void note(void) {
  const int file = (int)syscall(SYS_openat, AT_FDCWD, hits, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  (void)!write(file, "hit\n", 4);
  syscall(SYS_close, file);
}

static int is_foretask(const void* caller) {
  Dl_info info;
  if (!dladdr(caller, &info) || !info.dli_fname) return 0;
  const char* const name = strrchr(info.dli_fname, '/');
  return strncmp(name ? name + 1 : info.dli_fname, "libforetask", 11) == 0;
}

static int fails(const char* call, const void* caller) {
  if (code <= 0 || strcmp(call, wanted) != 0 || !is_foretask(caller)) return 0;
  const long number = atomic_fetch_add(&calls, 1) + 1;
  if (number < first || number >= first + count) return 0;
  note();
  errno = code;
  return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define CALLER __builtin_return_address(0)

static int mode_of(int flags, va_list list) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, int) : 0; }

#define OPEN(name)                             \
  int name(const char* path, int flags, ...) { \
    if (fails("open", CALLER)) return -1;      \
    va_list list;                              \
    va_start(list, flags);                     \
    const int mode = mode_of(flags, list);     \
    va_end(list);                              \
    return REAL(name)(path, flags, mode);      \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                       \
  int name(int folder, const char* path, int flags, ...) { \
    if (fails("openat", CALLER)) return -1;                \
    va_list list;                                          \
    va_start(list, flags);                                 \
    const int mode = mode_of(flags, list);                 \
    va_end(list);                                          \
    return REAL(name)(folder, path, flags, mode);          \
  }
OPENAT(openat)
OPENAT(openat64)

#define MAP(name)                                                                      \
  void* name(void* at, size_t size, int protection, int flags, int file, off_t from) { \
    if (fails("mmap", CALLER)) return MAP_FAILED;                                      \
    return REAL(name)(at, size, protection, flags, file, from);                        \
  }
MAP(mmap)
MAP(mmap64)

#define FALLOCATE(name)                                \
  int name(int file, off_t from, off_t size) {         \
    if (fails("posix_fallocate", CALLER)) return code; \
    return REAL(name)(file, from, size);               \
  }
FALLOCATE(posix_fallocate)
FALLOCATE(posix_fallocate64)

#define PWRITE(name)                                                \
  ssize_t name(int file, const void* data, size_t size, off_t at) { \
    if (fails("pwrite", CALLER)) return -1;                         \
    return REAL(name)(file, data, size, at);                        \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define TRUNCATE(name)                         \
  int name(int file, off_t size) {             \
    if (fails("ftruncate", CALLER)) return -1; \
    return REAL(name)(file, size);             \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define FSTAT(name)                         \
  int name(int file, struct stat* status) { \
    if (fails("fstat", CALLER)) return -1;  \
    return REAL(name)(file, status);        \
  }
FSTAT(fstat)

ssize_t write(int file, const void* data, size_t size) {
  return fails("write", CALLER) ? -1 : REAL(write)(file, data, size);
}
ssize_t read(int file, void* data, size_t size) { return fails("read", CALLER) ? -1 : REAL(read)(file, data, size); }
int rename(const char* from, const char* to) { return fails("rename", CALLER) ? -1 : REAL(rename)(from, to); }
int renameat2(int a, const char* from, int b, const char* to, unsigned flags) {
  return fails("renameat2", CALLER) ? -1 : REAL(renameat2)(a, from, b, to, flags);
}
int mkdir(const char* path, mode_t mode) { return fails("mkdir", CALLER) ? -1 : REAL(mkdir)(path, mode); }
int unlink(const char* path) { return fails("unlink", CALLER) ? -1 : REAL(unlink)(path); }
int madvise(void* at, size_t size, int advice) {
  return fails("madvise", CALLER) ? -1 : REAL(madvise)(at, size, advice);
}
int munmap(void* at, size_t size) { return fails("munmap", CALLER) ? -1 : REAL(munmap)(at, size); }
int flock(int file, int operation);
int flock(int file, int operation) { return fails("flock", CALLER) ? -1 : REAL(flock)(file, operation); }
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  return fails("pthread_create", CALLER) ? code : REAL(pthread_create)(thread, attributes, run, argument);
}
