// SPDX-License-Identifier: Apache-2.0
// messages HOW: MPI processes that send each other messages in one of MPI's ways, and check what arrives.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../spin.h"

static int rank, ranks, wrong;

static void expect(int is, int should_be) {
  if (is != should_be) {
    fprintf(stderr, "rank %d: %d, not %d\n", rank, is, should_be);
    wrong = 1;
  }
}

// To the next rank, from the one before: 10 rounds of 4 bytes.
static void ring(void) {
  for (int round = 0; round < 10; ++round) {
    int out = 100 * rank + round, in = -1;
    MPI_Request requests[2];
    const int before = (rank + ranks - 1) % ranks;
    MPI_Irecv(&in, 1, MPI_INT, before, round, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, (rank + 1) % ranks, round, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(in, 100 * before + round);
  }
}

// Rank 0 takes 3 messages of 8 bytes from each other rank, whoever is first, and waits for them in another order.
static void wildcards(void) {
  long value = rank;
  if (rank != 0) {
    for (int i = 0; i < 3; ++i) MPI_Send(&value, 1, MPI_LONG, 0, i, MPI_COMM_WORLD);
    return;
  }
  const int count = 3 * (ranks - 1);
  long* in = malloc(sizeof(long) * (size_t)count);
  MPI_Request* requests = malloc(sizeof(MPI_Request) * (size_t)count);
  for (int i = 0; i < count; ++i)
    MPI_Irecv(&in[i], 1, MPI_LONG, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
  for (int left = count; left > 0;) {
    int index = 0, flag = 0, done = 0;
    int* indices = malloc(sizeof(int) * (size_t)count);
    if (left % 3 == 0) {
      MPI_Status status;
      MPI_Waitany(count, requests, &index, &status);
      expect((int)in[index], status.MPI_SOURCE);
      --left;
    } else if (left % 3 == 1) {
      MPI_Testany(count, requests, &index, &flag, MPI_STATUS_IGNORE);
      left -= flag;
    } else {
      MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE);
      left -= done;
    }
    free(indices);
  }
  free(in);
  free(requests);
}

// The same tag on three communicators: two copies of the world, and the odd and the even ranks, 2 x 4 bytes each.
static void communicators(void) {
  MPI_Comm copies[2], half;
  MPI_Comm_dup(MPI_COMM_WORLD, &copies[0]);
  MPI_Comm_dup(MPI_COMM_WORLD, &copies[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);  // in the reverse order
  int half_rank, half_ranks;
  MPI_Comm_rank(half, &half_rank);
  MPI_Comm_size(half, &half_ranks);
  for (int round = 0; round < 2; ++round) {
    for (int copy = 1; copy >= 0; --copy) {
      int out = 10 * rank + copy, in = -1;
      MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % ranks, 5, &in, 1, MPI_INT, (rank + ranks - 1) % ranks, 5,
                   copies[copy], MPI_STATUS_IGNORE);
      expect(in, (rank + ranks - 1) % ranks * 10 + copy);
    }
    int value = rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, (half_rank + 1) % half_ranks, 5, (half_rank + half_ranks - 1) % half_ranks,
                         5, half, MPI_STATUS_IGNORE);
    expect(value % 2, rank % 2);
  }
  MPI_Comm_free(&half);
  MPI_Comm_free(&copies[0]);
  MPI_Comm_free(&copies[1]);
}

// From each rank to the next of 4 with the same tag, 4 bytes: on a copy that comes later, on two of one group, between
// two sides and on all of both.
static void groups(void) {
  MPI_Comm copy, pairs[2], two_sides, both, half;
  MPI_Request request;
  MPI_Group world, group;
  MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const int members[2] = {rank / 2 * 2, rank / 2 * 2 + 1};
  MPI_Group_incl(world, 2, members, &group);
  for (int i = 0; i < 2; ++i) MPI_Comm_create_group(MPI_COMM_WORLD, group, 7, &pairs[i]);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 3, &two_sides);
  MPI_Intercomm_merge(two_sides, rank >= 2, &both);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, two_sides);  // the other side's
  expect(sum, rank < 2 ? 5 : 1);
  const MPI_Comm all[2] = {copy, both};
  for (int i = 1; i >= 0; --i) {
    int in = -1;
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % 4, 5, &in, 1, MPI_INT, (rank + 3) % 4, 5, all[i], MPI_STATUS_IGNORE);
    expect(in, (rank + 3) % 4);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all[i]);
    expect(sum, 6);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, pairs[i]);
    expect(sum, members[0] + members[1]);
    MPI_Sendrecv(&rank, 1, MPI_INT, rank % 2, 5, &in, 1, MPI_INT, rank % 2, 5, two_sides, MPI_STATUS_IGNORE);
    expect(in, (rank + 2) % 4);
  }
  MPI_Comm* const made[] = {&copy, &pairs[0], &pairs[1], &two_sides, &both, &half};
  for (int i = 0; i < 6; ++i) MPI_Comm_free(made[i]);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

// 5 messages of 4 bytes from each even rank to the odd one after it, on requests that are used again.
static void persistent(void) {
  int value = 0;
  MPI_Request request;
  const int partner = rank ^ 1;
  if (partner >= ranks) return;
  if (rank % 2 == 0)
    MPI_Send_init(&value, 1, MPI_INT, partner, 3, MPI_COMM_WORLD, &request);
  else
    MPI_Recv_init(&value, 1, MPI_INT, partner, 3, MPI_COMM_WORLD, &request);
  for (int i = 0; i < 5; ++i) {
    if (rank % 2 == 0) value = i;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(value, i);
  }
  MPI_Request_free(&request);
}

// From rank 1 to rank 0: one looked at and then received, one matched when it is looked at, one to nobody.
static void probes(void) {
  char text[16] = "abcdefg";
  if (rank == 1) {
    MPI_Send(text, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    MPI_Ssend(text, 4, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    MPI_Send(text, 4, MPI_CHAR, MPI_PROC_NULL, 2, MPI_COMM_WORLD);
  } else if (rank == 0) {
    MPI_Status status;
    MPI_Message message;
    int count = 0;
    MPI_Probe(MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &count);
    expect(count, 8);
    MPI_Recv(text, 16, MPI_CHAR, status.MPI_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mprobe(1, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Mrecv(text, 16, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Recv(text, 16, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Twelve collective calls, four of them begun first and waited for later.
static void collectives(void) {
  int one = 1, sum = 0, all[64] = {0}, more[64] = {0};
  MPI_Request requests[4];
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(&one, 1, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  expect(sum, rank == 0 ? ranks : 0);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sum, ranks);
  MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Scatter(all, 1, MPI_INT, &sum, 1, MPI_INT, 0, MPI_COMM_WORLD);
  expect(sum, rank);
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  MPI_Scan(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(sum, rank + 1);
  MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
  MPI_Ibcast(&all[1], 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Ialltoall(all, 1, MPI_INT, more, 1, MPI_INT, MPI_COMM_WORLD, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  expect(sum, ranks);
}

#if MPI_VERSION >= 4
// MPI 4's large counts: 4 bytes from each rank to the next one, and two collective calls.
static void large(void) {
  const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  int out = rank, in = -1, sum = 0, all[8], more[8];
  MPI_Count counts[8];
  MPI_Aint places[8];
  MPI_Request request;
  MPI_Isend_c(&out, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &request);
  MPI_Recv_c(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(in, before);
  for (int i = 0; i < ranks; ++i) {
    all[i] = rank;
    counts[i] = 1;
    places[i] = i;
  }
  MPI_Alltoallv_c(all, counts, places, MPI_INT, more, counts, places, MPI_INT, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) expect(more[i], i);
  MPI_Iallreduce_c(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(sum, ranks * (ranks - 1) / 2);
}
#endif

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  int provided;
  if (strcmp(how, "chain") == 0)
    MPI_Init(&argc, &argv);
  else
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (strcmp(how, "ring") == 0) ring();
  if (strcmp(how, "wildcards") == 0) wildcards();
  if (strcmp(how, "communicators") == 0) communicators();
  if (strcmp(how, "groups") == 0) groups();
  if (strcmp(how, "persistent") == 0) persistent();
  if (strcmp(how, "probes") == 0) probes();
  if (strcmp(how, "collectives") == 0) collectives();
#if MPI_VERSION >= 4
  if (strcmp(how, "large") == 0) large();
#endif
  if (strcmp(how, "chain") == 0) {
    // 30 ms on each rank, one after the other.
    char token = 0;
    if (rank > 0) MPI_Recv(&token, 1, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    spin_ms(30);
    if (rank + 1 < ranks) MPI_Send(&token, 1, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
  }
  if (strcmp(how, "killed") == 0 || strcmp(how, "aborted") == 0) {
    // Rank 1 comes to the first of two collective calls, and not to the second.
    int one = 1, sum = 0;
    ring();
    MPI_Barrier(MPI_COMM_WORLD);
    spin_ms(20);
    if (rank == 1) usleep(300000);  // the others are in the second one by then
    if (rank == 1 && strcmp(how, "killed") == 0) raise(SIGKILL);
    if (rank == 1) MPI_Abort(MPI_COMM_WORLD, 3);
    while (rank == 1) pause();  // MPICH 4.2's call returns; its launcher ends the ranks a little later
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  }
  if (strcmp(how, "lost") == 0 && rank == 0) {
    char token = 0;
    MPI_Send(&token, 1, MPI_CHAR, 1, 9, MPI_COMM_WORLD);  // nobody receives it
  }
  MPI_Finalize();
  return wrong;
}
