// SPDX-License-Identifier: Apache-2.0
// What is known of one earlier run of a program. Times are in ns of wall-clock time.
#pragma once

#include <string>
#include <vector>

namespace foretask::model {

// What one kernel did in it. Known by what a process knows of itself while it runs: the name that the program gave, or
// "module+0xoffset" of the code that creates the tasks, base::region_name() of it for the threads' own part in a
// region.
struct ProgramKernelRow {
  std::string kernel;
  double tasks = 0;
  double work = 0;
};

// How far it was when so much of the time had gone, both as shares of what lies outside of the serial part.
struct ProgressPoint {
  double done = 0;  // tasks finished and begun, weighed by their kernels' times
  double time = 0;
};

struct ProgramRow {
  std::string inputs;  // "m=80 seed=1": numbers beside n that the user gave; rows of others are of another program
  double n = 0;        // size of the input; 0: it was not said
  std::string size;    // what the user calls n, where a table says so; empty: not said
  double p = 0;        // workers
  double time = 0;     // elapsed, from the process's start to its end
  double head = 0;     // the serial part before the first region or task
  double serial = 0;   // the whole serial part, the head included
  double work = 0;     // of all workers, without the serial part
  double delay = 0;    // this and the next: 0 where a run says nothing of it
  double no_work = 0;
  double span = 0;
  std::vector<ProgramKernelRow> kernels;
  std::vector<ProgressPoint> curve;  // rising; none where the run was not watched
  std::string build_id;              // of the executable; empty: not known
  std::string saved;                 // 2026-01-31T12:00:00Z
};

}  // namespace foretask::model
