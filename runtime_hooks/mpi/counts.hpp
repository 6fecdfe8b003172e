// SPDX-License-Identifier: Apache-2.0
// HOT: a function that counts elements is there twice in MPI 4, MPI_Send() with int and MPI_Send_c() with MPI_Count,
// and so is what stands before it: large_counts.cpp compiles the same source once more.
#pragma once

#include "call.hpp"

#ifdef FORETASK_LARGE_COUNTS
using Count = MPI_Count;
using Place = MPI_Aint;
#define FORETASK_COUNTED(name) FORETASK_MPI(name##_c)
#define FORETASK_REAL_COUNTED(name) FORETASK_REAL(name##_c)
#else
using Count = int;
using Place = int;
#define FORETASK_COUNTED(name) FORETASK_MPI(name)
#define FORETASK_REAL_COUNTED(name) FORETASK_REAL(name)
#endif
