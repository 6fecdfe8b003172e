// SPDX-License-Identifier: Apache-2.0
// A random nest of OpenMP's constructs: random_openmp SEED, with OMP_CANCELLATION=true. Prints a sum that is the same
// on every schedule and on any number of threads. Programs of odd seeds have only what makes a known number of tasks.
#include <omp.h>

#include <cstddef>
#include <thread>
#include <vector>

#include "place.hpp"

namespace {

bool is_counted = false;

void node(Place place);

// Tasks of all kinds, by the kind's number.
void task(Place place, int kind) {
  tally.create(1);
  switch (kind) {
    case 0:
#pragma omp task untied
      node(place);
      break;
    case 1:
#pragma omp task if (false)
      node(place);
      break;
    case 2:
#pragma omp task final(place.depth < 2) mergeable
      node(place);
      break;
    case 3:
#pragma omp task priority(place.depth)
      node(place);
      break;
    default:
#pragma omp task
      node(place);
  }
}

void tasks(Place place) {
  for (int i = place.draw.between(0, 6); i > 0; --i) task(place.inner(i), place.draw.between(0, 7));
  if (place.draw.chance(30)) work(place);
#pragma omp taskwait
}

// One group, whose tasks add more to it, and wait for none.
void grow(Place place) {
  work(place);
  if (place.depth <= 0) return;
  for (int i = place.draw.between(0, 3); i > 0; --i) {
    tally.create(1);
#pragma omp task
    grow(place.inner(i));
  }
}

void growing_group(Place place) {
#pragma omp taskgroup
  grow(place);
}

void element(const Place& place, int i) {
  if (i % 16 == 3)
    node(place.inner(i));
  else
    work(place.inner(i));
}

void taskloop(Place place) {
  const int n = place.draw.between(1, 40);
  const int tasks_wanted = place.draw.between(1, 10);
  tally.create(n < tasks_wanted ? n : tasks_wanted);
#pragma omp taskloop num_tasks(tasks_wanted)
  for (int i = 0; i < n; ++i) element(place, i);
}

// Outside of a region libgomp 12 frees what is not its own where tasks reduce.
void summing_taskloop(Place place) {
  if (omp_get_level() == 0) return;
  const int n = place.draw.between(1, 40);
  const int tasks_wanted = place.draw.between(1, 10);
  std::uint64_t sum = 0;
  tally.create(n < tasks_wanted ? n : tasks_wanted);
#pragma omp taskloop num_tasks(tasks_wanted) reduction(+ : sum)
  for (int i = 0; i < n; ++i) {
    element(place, i);
    sum += static_cast<std::uint64_t>(i);
  }
  tally.add(place, sum);
}

void summing_tasks(Place place) {
  if (omp_get_level() == 0) return;
  std::uint64_t sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = place.draw.between(0, 6); i > 0; --i) {
    tally.create(1);
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    {
      work(place.inner(i));
      sum += static_cast<std::uint64_t>(i);
    }
  }
  tally.add(place, sum);
}

// Each cell's last value shows whether its tasks ran in order.
void chain(Place place) {
  std::uint64_t cells[4] = {1, 2, 3, 4};
  for (int i = place.draw.between(1, 20); i > 0; --i) {
    std::uint64_t* const to = &cells[place.draw.between(0, 3)];
    const std::uint64_t* const from = &cells[place.draw.between(0, 3)];
    const Place inner = place.inner(i);
    tally.create(1);
    if (from == to) {
#pragma omp task depend(inout : *to)
      {
        work(inner);
        *to *= 31;
      }
    } else {
#pragma omp task depend(in : *from) depend(inout : *to)
      {
        node(inner);
        *to = *to * 31 + *from;
      }
    }
  }
  if (place.draw.chance(30)) {
#pragma omp taskwait depend(in : cells[0])
    work(place);
  }
#pragma omp taskwait
  for (const std::uint64_t cell : cells) tally.add(place, cell);
}

// Each task is over once a thread of its own has fulfilled its event.
void detached(Place place) {
  std::uint64_t results[2] = {0, 0};
  std::thread fulfillers[2];
  for (int i = 0; i < 2; ++i) {
    omp_event_handle_t event{};
    std::uint64_t* const result = &results[i];
    std::thread* const fulfiller = &fulfillers[i];
    const Place inner = place.inner(i);
    tally.create(1);
#pragma omp task detach(event) depend(out : *result)
    *fulfiller = std::thread([event, inner, result] {
      work(inner);
      *result = 7;
      omp_fulfill_event(event);
    });
  }
#pragma omp taskwait
  tally.add(place, results[0] + results[1]);
  for (std::thread& fulfiller : fulfillers)
    if (fulfiller.joinable()) fulfiller.join();  // unless its task was cancelled
}

void thrown(Place place) {
  for (int i = place.draw.between(1, 4); i > 0; --i) {
    tally.create(1);
#pragma omp task firstprivate(place, i)
    {
      try {
        node(place.inner(i));
        throw i;
      } catch (int which) {
        tally.add(place, static_cast<std::uint64_t>(which));
      }
    }
  }
#pragma omp taskwait
}

// Whether the group's tasks begin is chance, but for those that have begun when it is cancelled.
void cancelled_group(Place place) {
  const int count = place.draw.between(1, 6);
  const int canceller = place.draw.between(0, count - 1);
#pragma omp taskgroup
  for (int i = 0; i < count; ++i) {
    tally.create(1);
#pragma omp task
    {
      if (i == canceller) {
#pragma omp cancel taskgroup
      }
      work(place.uncertain(i));
#pragma omp cancellation point taskgroup
      work(place.uncertain(i));
    }
  }
  tally.add(place, 1);
}

// Tasks of one cancelled group, which make more, in any way, and wait for some. An inner group is not cancelled.
void cancelled_tasks(Place place) {
  work(place);
  if (place.depth <= 0) return;
  for (int i = place.draw.between(0, 3); i > 0; --i) {
    const bool cancels = place.draw.chance(15);
    const Place inner = place.inner(i);
    tally.create(1);
#pragma omp task
    {
      if (cancels) {
#pragma omp cancel taskgroup
      }
      cancelled_tasks(inner);
#pragma omp cancellation point taskgroup
      work(inner);
    }
  }
  if (place.draw.chance(40)) node(place.inner(5));
  if (place.draw.chance(20)) {
    const int n = place.draw.between(1, 9);
    tally.create(n);
#pragma omp taskloop num_tasks(n) nogroup
    for (int i = 0; i < n; ++i) element(place, i);
  }
  if (place.draw.chance(20)) {
    const std::vector<int> copied(3, 1);  // libgomp discards no task with a copy function
    tally.create(1);
#pragma omp task firstprivate(copied)
    work(place.inner(copied[1]));
  }
  if (place.draw.chance(50)) {
#pragma omp taskwait
  }
}

void cancelled_nest(Place place) {
#pragma omp taskgroup
  {
    cancelled_tasks(place.uncertain(0));
    tally.create(1);
#pragma omp task
    {
#pragma omp cancel taskgroup
    } cancelled_tasks(place.uncertain(1));
  }
  tally.add(place, 1);
}

// A team of the task's own from here on.

void loops(Place place) {
  const int n = place.draw.between(1, 60);
  const int threads = place.draw.between(1, 3);
  std::uint64_t sum = 0;
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
#pragma omp for schedule(dynamic, 2) nowait
    for (int i = 0; i < n; ++i) element(place, i);
#pragma omp for schedule(guided)
    for (int i = 0; i < n; ++i) sum += static_cast<std::uint64_t>(i);
#pragma omp for schedule(static, 3)
    for (int i = 0; i < n; ++i) work(place.inner(i));
#pragma omp barrier
#pragma omp for schedule(runtime)
    for (int i = 0; i < n; ++i) sum += static_cast<std::uint64_t>(i);
  }
  tally.add(place, sum);
}

void ordered_loop(Place place) {
  const int n = place.draw.between(1, 30);
  std::uint64_t hash = 1;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(2)
  for (int i = 0; i < n; ++i) {
    work(place.inner(i));
#pragma omp ordered
    hash = hash * 31 + static_cast<std::uint64_t>(i);
  }
  tally.add(place, hash);
}

void sections(Place place) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    node(place.inner(0));
#pragma omp section
    node(place.inner(1));
#pragma omp section
    work(place.inner(2));
  }
}

void team_of_tasks(Place place) {
  std::uint64_t entered = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp single nowait
    tasks(place.inner(0));
#pragma omp critical(entering)
    entered |= 1;
#pragma omp barrier
#pragma omp single
    tasks(place.inner(1));
  }
  tally.add(place, entered);
}

void locks(Place place) {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  std::uint64_t sum = 0;
#pragma omp parallel for num_threads(2) schedule(dynamic)
  for (int i = 0; i < 12; ++i) {
    omp_set_lock(&lock);
    sum += static_cast<std::uint64_t>(i);
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    work(place.inner(i));
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
  tally.add(place, sum);
}

void cancelled_loop(Place place) {
  const int n = place.draw.between(1, 40);
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) {
      if (i == n / 2) {
#pragma omp cancel for
      }
      work(place.uncertain(i));
#pragma omp cancellation point for
    }
  }
  tally.add(place, 1);
}

void cancelled_team(Place place) {
#pragma omp parallel num_threads(2)
  {
    work(place.uncertain(0));
    for (int i = place.draw.between(0, 3); i > 0; --i) task(place.uncertain(i + 1), i);
#pragma omp cancel parallel if (omp_get_thread_num() == 0)
    work(place.uncertain(1));
#pragma omp barrier
  }
  tally.add(place, 1);
}

// Each has its own team.
void threads(Place place) {
  std::thread one([place] { loops(place.inner(0)); });
  std::thread other([place] { team_of_tasks(place.inner(1)); });
  one.join();
  other.join();
}

void divided_taskloop(Place place) {
  const int n = place.draw.between(1, 60);
  const int grain = place.draw.between(1, 9);
  tally.lose_count();
#pragma omp taskgroup
  {
#pragma omp taskloop grainsize(grain) nogroup
    for (int i = 0; i < n; ++i) element(place, i);
#pragma omp taskloop
    for (int i = n; i > 0; --i) work(place.inner(i));
  }
}

using Construct = void (*)(Place);
constexpr Construct kTasks[] = {
    tasks,    growing_group, taskloop, summing_taskloop, summing_tasks, chain, thrown, cancelled_group, cancelled_nest,
#ifndef __clang__  // LLVM's runtime 14 fails by itself in detached tasks
    detached,
#endif
};
constexpr Construct kTeams[] = {loops, ordered_loop,   sections,       team_of_tasks,
                                locks, cancelled_loop, cancelled_team, threads};

template <std::size_t n>
void run_one_of(const Construct (&constructs)[n], Place place) {
  constructs[place.draw.between(0, static_cast<int>(n) - 1)](place);
}

void node(Place place) {
  work(place);
  if (place.depth <= 0 || place.draw.chance(25)) return;
  const int kind = place.draw.between(0, 9);
  if (kind == 0 && !is_counted) return divided_taskloop(place);
  if (kind <= 2 && omp_get_active_level() < 3) return run_one_of(kTeams, place);
  run_one_of(kTasks, place);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int seed = std::atoi(argv[1]);
  is_counted = seed % 2 != 0;
  omp_set_max_active_levels(4);
  Place place{Draw(static_cast<std::uint64_t>(seed)), 5};
  for (int part = 0; part < 3; ++part) {
    const Place inner = place.inner(part);
#pragma omp parallel
    {
#pragma omp single nowait
      for (int i = 0; i < 3; ++i) tasks(inner.inner(i));
      work({inner.draw.inner(9), 0, false});
    }
  }
  node(place.inner(4));
  if (place.draw.chance(30)) threads(place.inner(5));
  tally.print();
  return seed % 7;
}
