// SPDX-License-Identifier: Apache-2.0
// A filter of system calls by name: each named call fails with an errno, or kills the process (code 0).
#pragma once

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

// AArch64 has only the calls that take a folder's descriptor, and clone(2) for fork(2).
#ifndef SYS_fork
#define SYS_fork SYS_clone
#define SYS_mkdir SYS_mkdirat
#define SYS_readlink SYS_readlinkat
#define SYS_rename SYS_renameat
#define SYS_unlink SYS_unlinkat
#endif

struct NamedNumber {
  const char* name;
  int number;
};

static const struct NamedNumber kCalls[] = {
    {"clone3", SYS_clone3},
    {"close_range", SYS_close_range},
    {"fallocate", SYS_fallocate},
    {"fcntl", SYS_fcntl},
    {"fork", SYS_fork},
    {"fsync", SYS_fsync},
    {"ftruncate", SYS_ftruncate},
    {"getrandom", SYS_getrandom},
    {"madvise", SYS_madvise},
    {"membarrier", SYS_membarrier},
    {"mkdir", SYS_mkdir},
    {"openat", SYS_openat},
    {"perf_event_open", SYS_perf_event_open},
    {"pipe2", SYS_pipe2},
    {"prctl", SYS_prctl},
    {"prlimit64", SYS_prlimit64},
    {"pwrite64", SYS_pwrite64},
    {"readlink", SYS_readlink},
    {"rename", SYS_rename},
    {"renameat2", SYS_renameat2},
    {"sched_setscheduler", SYS_sched_setscheduler},
    {"statfs", SYS_statfs},
    {"statx", SYS_statx},
    {"sysinfo", SYS_sysinfo},
    {"unlink", SYS_unlink},
};

static const struct NamedNumber kErrors[] = {{"EIO", EIO},       {"ENOSPC", ENOSPC}, {"EINTR", EINTR},
                                             {"EPERM", EPERM},   {"ENOMEM", ENOMEM}, {"ENOSYS", ENOSYS},
                                             {"EACCES", EACCES}, {"EMFILE", EMFILE}, {"EAGAIN", EAGAIN},
                                             {"EDQUOT", EDQUOT}, {"kill", 0}};

// -1 where the name is none.
static inline int number_of(const struct NamedNumber* list, size_t count, const char* name) {
  for (size_t i = 0; i < count; ++i)
    if (strcmp(list[i].name, name) == 0) return list[i].number;
  return -1;
}

static inline int error_of(const char* name) { return number_of(kErrors, sizeof kErrors / sizeof *kErrors, name); }

// 0, or -1. What the process may not do any more stays so in all that it starts.
static inline int filter_call(const char* call, const char* error) {
  const int number = number_of(kCalls, sizeof kCalls / sizeof *kCalls, call);
  const int code = error_of(error);
  if (number < 0 || code < 0) return -1;
  const unsigned action = code == 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | (unsigned)code;
  struct sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, action),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof steps / sizeof *steps, steps};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}
