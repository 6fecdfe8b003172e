// SPDX-License-Identifier: Apache-2.0
// What is known of one earlier run of a program. Times are in ns of wall-clock time.
#pragma once

#include <map>
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

// What the numbers that a user gave a run say of its input: which one is its size n, and what the others are called in
// the store. The same rule for recordings and for runs that are followed: they find each other by it. Pure.
using InputNumbers = std::map<std::string, double>;

// Above 0, and finite.
[[nodiscard]] bool is_size(double value);

struct ProgramInput {
  std::string others;  // as ProgramRow::inputs
  double n = 0;        // 0: none of them is the size
};

// "n" is the size, or the only number whatever its name, or `known_size`, which an earlier table of the program calls n
// (empty: none does). A number that is_size() does not take is one of the others.
[[nodiscard]] ProgramInput program_input(const InputNumbers& numbers, const std::string& known_size);

// All but the one called `size`, in the order of their names: "b=16 c=2".
[[nodiscard]] std::string other_inputs(const InputNumbers& numbers, const std::string& size);

}  // namespace foretask::model
