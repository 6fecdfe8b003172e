// SPDX-License-Identifier: Apache-2.0
// Acts with bus errors of the program's own: they, and what handles them, are no matter of a recorder's.
#include <setjmp.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "acts.h"

static sigjmp_buf before_access;

static void go_back(int signal_number) {
  (void)signal_number;
  siglongjmp(before_access, 1);
}

// Memory behind a file's end.
static volatile char* missing_page(void) {
  const int file = open("missing", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  void* const memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return memory;
}

// bus: ends the program, as by default.
static void bus(const char* first, const char* second) {
  (void)first, (void)second;
  volatile char* const page = missing_page();
  *page = 1;
  say("not reached\n");
}

// fork-bus: a child's, which has none of its parent's packets.
static void fork_bus(const char* first, const char* second) {
  const pid_t child = fork();
  if (child == 0) {
    bus(first, second);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  say("fork-bus %d %d\n", WIFSIGNALED(status), WTERMSIG(status));
}

// catch-bus: a handler of the program's own, from here on.
static void catch_bus(const char* first, const char* second) {
  (void)first, (void)second;
  struct sigaction action = {.sa_handler = go_back};
  sigaction(SIGBUS, &action, NULL);
  say("handled\n");
}

// caught-bus: an error that the program's own handler leaves by a jump.
static void caught_bus(const char* first, const char* second) {
  (void)first, (void)second;
  volatile char* const page = missing_page();
  if (sigsetjmp(before_access, 1) == 0) {
    *page = 1;
    say("not reached\n");
  }
  say("caught\n");
}

const struct Act kBusActs[] = {
    {"bus", bus}, {"fork-bus", fork_bus}, {"catch-bus", catch_bus}, {"caught-bus", caught_bus}, {NULL, NULL}};
