// SPDX-License-Identifier: Apache-2.0
// A program is a list of acts, done one after the other: name[:argument[:argument]].
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct Act {
  const char* name;
  void (*run)(const char* first, const char* second);
};

// Each file of acts has a list that ends with an empty name.
extern const struct Act kTaskActs[];
extern const struct Act kStateActs[];
extern const struct Act kThreadActs[];
extern const struct Act kProcessActs[];
extern const struct Act kSpoilActs[];
extern const struct Act kBusActs[];
extern const struct Act kEndActs[];

extern char start_folder[4096];
extern char** program_arguments;  // those of main, the program's own name first
extern char** next_act;           // what is still to be done

static inline long number(const char* text, long otherwise) { return text && *text ? atol(text) : otherwise; }

// Standard output, by write(2): nothing is left in a buffer when the program ends in a strange way.
__attribute__((format(printf, 1, 2))) void say(const char* format, ...);

// One more explicit task is about to be made. The sum is in the file counted.PID, whatever becomes of the process.
void count_task(void);
void count_tasks(long many);
// In a process that goes on as the program (a daemon).
void count_from_here(void);

// Tasks in the region that there is, and in one of their own: how many ran.
long make_tasks(long many);
long run_tasks(long many);
long run_tasks_alone(long many);
