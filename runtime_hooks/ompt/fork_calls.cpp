// SPDX-License-Identifier: Apache-2.0
// The functions by which compiled code opens a region, in front of LLVM's: what function the region runs, which OMPT
// does not say. They take any number of arguments, so each goes on to LLVM's by a jump, with all of them where they
// were.
#include "construct_code.hpp"
#include "kit/next_function.hpp"

#define FORETASK_FORK_TARGET(name)                                                                                     \
  extern "C" __attribute__((visibility("hidden"), used)) void* foretask_target_of_##name(void*, int, void* function) { \
    static constinit foretask::kit::NextFunction<void*> next(#name);                                                   \
    foretask::ompt::forked_function = function;                                                                        \
    return next.get();                                                                                                 \
  }

#if defined(__x86_64__)
#define FORETASK_FORK_CALL(name)                                                        \
  FORETASK_FORK_TARGET(name)                                                            \
  __asm__(".text\n.globl " #name "\n.type " #name ",@function\n" #name                  \
          ":\n"                                                                         \
          ".cfi_startproc\n"                                                            \
          "endbr64\n"                                                                   \
          "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\n" \
          ".cfi_adjust_cfa_offset 56\n"                                                 \
          "call foretask_target_of_" #name                                              \
          "\n"                                                                          \
          "mov %rax, %r11\n"                                                            \
          "pop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"        \
          ".cfi_adjust_cfa_offset -56\n"                                                \
          "jmp *%r11\n"                                                                 \
          ".cfi_endproc\n.size " #name ", .-" #name "\n")
#elif defined(__aarch64__)
#define FORETASK_FORK_CALL(name)                                                        \
  FORETASK_FORK_TARGET(name)                                                            \
  __asm__(".text\n.globl " #name "\n.type " #name ",%function\n" #name                  \
          ":\n"                                                                         \
          ".cfi_startproc\n"                                                            \
          "hint #34\n"                                                                  \
          "stp x29, x30, [sp, #-80]!\n"                                                 \
          ".cfi_adjust_cfa_offset 80\n.cfi_rel_offset x29, 0\n.cfi_rel_offset x30, 8\n" \
          "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\n"       \
          "stp x6, x7, [sp, #64]\n"                                                     \
          "bl foretask_target_of_" #name                                                \
          "\n"                                                                          \
          "mov x16, x0\n"                                                               \
          "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\n"       \
          "ldp x6, x7, [sp, #64]\n"                                                     \
          "ldp x29, x30, [sp], #80\n"                                                   \
          ".cfi_adjust_cfa_offset -80\n.cfi_restore x29\n.cfi_restore x30\n"            \
          "br x16\n"                                                                    \
          ".cfi_endproc\n.size " #name ", .-" #name "\n")
#else
#define FORETASK_FORK_CALL(name) static_assert(true)  // the caller's code stands for the region
#endif

FORETASK_FORK_CALL(__kmpc_fork_call);
FORETASK_FORK_CALL(__kmpc_fork_teams);
