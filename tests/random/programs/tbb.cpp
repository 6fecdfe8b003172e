// SPDX-License-Identifier: Apache-2.0
// A random nest of oneTBB's constructs: random_tbb SEED THREADS. Prints a sum that is the same on every schedule.
// Programs of odd seeds have only what makes a known number of tasks.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <tuple>
#include <vector>

#include "place.hpp"

using Range = tbb::blocked_range<int>;

namespace {

void node(Place place);

void run_in(tbb::task_group& group, Place place) {
  tally.create(1);
  group.run([place] { node(place); });
}

void groups(Place place) {
  tbb::task_group group;
  const int tasks = place.draw.between(0, 6);
  const int how = place.draw.between(0, 3);
  for (int i = 0; i < tasks; ++i) run_in(group, place.inner(i));
  tally.create(how == 1 || how == 2 ? 1 : 0);
  if (how == 1) group.run_and_wait([place] { node(place.inner(7)); });
  if (how == 2) group.run(group.defer([place] { node(place.inner(7)); }));
  if (how == 3) work(place);
  group.wait();
}

// One group, whose tasks add more to it.
void grow(tbb::task_group& group, Place place) {
  work(place);
  if (place.depth <= 0) return;
  for (int i = place.draw.between(0, 3); i > 0; --i) {
    tally.create(1);
    group.run([&group, place, i] { grow(group, place.inner(i)); });
  }
}

void growing_group(Place place) {
  tbb::task_group group;
  grow(group, place);
  group.wait();
}

void element(const Place& place, int i) {
  if (i % 16 == 3)
    node(place.inner(i));
  else
    work(place.inner(i));
}

void chunk(const Place& place, const Range& range) {
  for (int i = range.begin(); i < range.end(); ++i) element(place, i);
}

void simple_loop(Place place) {
  if (!place.is_certain) tally.lose_count();
  tbb::parallel_for(
      Range(0, place.draw.between(1, 40), static_cast<std::size_t>(place.draw.between(1, 4))),
      [place](const Range& range) {
        tally.create(1);
        chunk(place, range);
      },
      tbb::simple_partitioner());
}

void simple_reduction(Place place) {
  if (!place.is_certain) tally.lose_count();
  const int sum = tbb::parallel_deterministic_reduce(
      Range(0, place.draw.between(1, 40), static_cast<std::size_t>(place.draw.between(1, 4))), 0,
      [place](const Range& range, int begun) {
        tally.create(1);
        chunk(place, range);
        return begun + range.begin() * range.end();
      },
      [](int left, int right) { return left + 3 * right; });
  tally.add(place, static_cast<std::uint64_t>(sum));
}

void invoke(Place place) {
  if (!place.is_certain) tally.lose_count();
  const auto call = [&place](int i) { return [&place, i] { node(place.inner(i)); }; };
  const int functions = place.draw.between(2, 5);
  tally.create(functions);
  if (functions == 2) tbb::parallel_invoke(call(0), call(1));
  if (functions == 3) tbb::parallel_invoke(call(0), call(1), call(2));
  if (functions == 4) tbb::parallel_invoke(call(0), call(1), call(2), call(3));
  if (functions == 5) tbb::parallel_invoke(call(0), call(1), call(2), call(3), call(4));
}

void arena(Place place) {
  tbb::task_arena inner(place.draw.between(1, 3));
  inner.execute([place] { node(place.inner(0)); });
}

void isolation(Place place) {
  tbb::this_task_arena::isolate([place] { node(place.inner(0)); });
}

void enqueued(Place place) {
  tbb::task_arena other(place.draw.between(1, 2));
  tbb::task_group group;
  for (int i = place.draw.between(1, 4); i > 0; --i) {
    tally.create(1);
    other.enqueue(group.defer([place, i] { node(place.inner(i)); }));
  }
  other.execute([&group] { group.wait(); });
}

// The task that throws runs: nobody else cancels the group.
void thrown(Place place) {
  const int tasks = place.draw.between(1, 6);
  const int thrower = place.draw.between(0, tasks - 1);
  try {
    tbb::task_group group;
    for (int i = 0; i < tasks; ++i) {
      tally.create(1);
      group.run([place, i, thrower] {
        if (i == thrower) throw i;
        node(place.uncertain(i));
      });
    }
    group.wait();
  } catch (int which) {
    tally.add(place, static_cast<std::uint64_t>(which) + 1);
  }
}

void cancelled(Place place) {
  const int tasks = place.draw.between(1, 6);
  const int canceller = place.draw.between(0, tasks - 1);
  tbb::task_group group;
  for (int i = 0; i < tasks; ++i) {
    tally.create(1);
    group.run([&group, place, i, canceller] {
      if (i == canceller) group.cancel();
      node(place.uncertain(i));
    });
  }
  tally.add(place, group.wait() == tbb::canceled ? 1 : 0);
}

// A loop's body: a task of the loop has its own copy, and no other copy is made.
class ThrowingBody {
 public:
  ThrowingBody(const Place& place, int thrower) : place_(place), thrower_(thrower) {}
  ThrowingBody(const ThrowingBody& other) : place_(other.place_), thrower_(other.thrower_) { tally.create(1); }
  ThrowingBody& operator=(const ThrowingBody&) = delete;

  void operator()(const Range& range) const {
    for (int i = range.begin(); i < range.end(); ++i) {
      if (i == thrower_) throw i;
      if (i % 16 == 3)
        node(place_.uncertain(i));
      else
        work(place_.uncertain(i));
    }
  }

 private:
  Place place_;
  int thrower_;
};

void thrown_loop(Place place) {
  const int n = place.draw.between(1, 60);
  const Range range(0, n, static_cast<std::size_t>(place.draw.between(1, 5)));
  const ThrowingBody body(place, place.draw.between(0, n - 1));
  try {
    switch (place.draw.between(0, 2)) {
      case 0:
        tbb::parallel_for(range, body, tbb::simple_partitioner());
        break;
      case 1:
        tbb::parallel_for(range, body, tbb::auto_partitioner());
        break;
      default:
        tbb::parallel_for(range, body, tbb::static_partitioner());
    }
  } catch (int which) {
    tally.add(place, static_cast<std::uint64_t>(which) + 1);
  }
}

void suspend_for_a_thread() {
  std::atomic<tbb::task::suspend_point> point{nullptr};
  std::thread resumer([&point] {
    while (!point) std::this_thread::yield();
    tbb::task::resume(point);
  });
  tbb::task::suspend([&point](tbb::task::suspend_point at) { point = at; });
  resumer.join();
}

// Tasks give up their threads, until another task or a thread of the program resumes them.
void suspended(Place place) {
  tbb::task_group group;
  // Nobody cancels what others wait for.
  tbb::task_group_context context(tbb::task_group_context::isolated);
  tbb::task_group resumers(context);
  for (int i = place.draw.between(1, 4); i > 0; --i) {
    tally.create(1);
    group.run([&resumers, place, i] {
      Place own = place.inner(i);
      work(own);
      if (own.draw.chance(30)) {
        suspend_for_a_thread();
      } else {
        tally.create(1);
        tbb::task::suspend([&resumers, own](tbb::task::suspend_point point) {
          resumers.run([own, point] {
            work(own.inner(1));
            tbb::task::resume(point);
          });
        });
      }
      node(own.inner(2));
    });
  }
  group.wait();
  resumers.wait();
}

// Two threads of the program beside this one.
void threads(Place place) {
  std::thread one([place] { node(place.inner(0)); });
  std::thread other([place] { node(place.inner(1)); });
  one.join();
  other.join();
}

// From here on: constructs whose number of tasks the runtime chooses.

void loop(Place place) {
  tally.lose_count();
  const Range range(0, place.draw.between(1, 200), static_cast<std::size_t>(place.draw.between(1, 9)));
  const auto body = [place](const Range& part) { chunk(place, part); };
  tbb::affinity_partitioner affinity;
  switch (place.draw.between(0, 3)) {
    case 0:
      tbb::parallel_for(range, body);
      break;
    case 1:
      tbb::parallel_for(range, body, tbb::static_partitioner());
      break;
    case 2:
      tbb::parallel_for(0, place.draw.between(0, 30), 3, [place](int i) { element(place, i); });
      break;
    default:
      for (int pass = 0; pass < 3; ++pass) tbb::parallel_for(range, body, affinity);
  }
}

void cancelled_loop(Place place) {
  tally.lose_count();
  const bool throws = place.draw.chance(50);
  const int n = place.draw.between(1, 100);
  tbb::task_group_context context;
  const auto body = [&context, place, throws, n](int i) {
    if (i == n / 2 && throws) throw i;
    if (i == n / 2) context.cancel_group_execution();
    work(place.uncertain(i));
  };
  try {
    tbb::parallel_for(0, n, body, tbb::auto_partitioner(), context);
    tally.add(place, context.is_group_execution_cancelled() ? 1 : 0);
  } catch (int which) {
    tally.add(place, static_cast<std::uint64_t>(which));
  }
}

void reduction(Place place) {
  tally.lose_count();
  const long sum = tbb::parallel_reduce(
      Range(0, place.draw.between(1, 500)), 0L,
      [place](const Range& range, long begun) {
        chunk(place, range);
        return begun + range.begin() + static_cast<long>(range.size());
      },
      [](long left, long right) { return std::max(left, right); }, tbb::static_partitioner());
  tally.add(place, sum > 0 ? 1 : 0);
}

void scan(Place place) {
  tally.lose_count();
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(place.draw.between(1, 2000)));
  tbb::parallel_scan(
      tbb::blocked_range<std::size_t>(0, sums.size(), 16), std::uint64_t{0},
      [&](const tbb::blocked_range<std::size_t>& range, std::uint64_t sum, bool is_last) {
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
          sum += i * i;
          if (is_last) sums[i] = sum;
        }
        return sum;
      },
      [](std::uint64_t left, std::uint64_t right) { return left + right; });
  tally.add(place, sums.back());
}

void sort(Place place) {
  tally.lose_count();
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(place.draw.between(0, 3000)));
  for (std::uint64_t& key : keys) key = place.draw.bits();
  tbb::parallel_sort(keys.begin(), keys.end());
  std::uint64_t hash = 1;
  for (const std::uint64_t key : keys) hash = hash * 31 + key;
  tally.add(place, hash);
}

void feeding(Place place) {
  tally.lose_count();
  std::vector<Place> places;
  for (int i = place.draw.between(0, 6); i > 0; --i) places.push_back(place.inner(i));
  tbb::parallel_for_each(places.begin(), places.end(), [](Place one, tbb::feeder<Place>& feeder) {
    work(one);
    if (one.depth <= 0) return;
    for (int i = one.draw.between(0, 2); i > 0; --i) feeder.add(one.inner(i));
    if (one.draw.chance(20)) node(one.inner(3));
  });
}

// The last filter's items come in order.
void pipeline(Place place) {
  tally.lose_count();
  int next = 0;
  std::uint64_t hash = 1;
  const int items = place.draw.between(0, 30);
  const auto in = tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, [&](tbb::flow_control& control) {
    if (next == items) control.stop();
    return next++;
  });
  const auto middle = tbb::make_filter<int, int>(tbb::filter_mode::parallel, [place](int i) {
    element(place, i);
    return 7 * i;
  });
  const auto loose = tbb::make_filter<int, int>(tbb::filter_mode::serial_out_of_order, [](int i) { return i + 1; });
  const auto out = tbb::make_filter<int, void>(tbb::filter_mode::serial_in_order,
                                               [&](int i) { hash = hash * 31 + static_cast<std::uint64_t>(i); });
  const auto tokens = static_cast<std::size_t>(place.draw.between(1, 8));
  if (place.draw.chance(50))
    tbb::parallel_pipeline(tokens, in & middle & out);
  else
    tbb::parallel_pipeline(tokens, in & loose & middle & out);
  tally.add(place, hash);
}

// Nodes in layers, each of which comes after two of the layer before.
void layers(Place place) {
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  tally.lose_count();
  tbb::flow::graph graph;
  tbb::flow::broadcast_node<tbb::flow::continue_msg> start(graph);
  const int width = place.draw.between(1, 4);
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 0; i < 4 * width; ++i) {
    nodes.push_back(std::make_unique<Node>(graph, [place, i](const tbb::flow::continue_msg&) { element(place, i); }));
    if (i < width) {
      tbb::flow::make_edge(start, *nodes.back());
      continue;
    }
    const int above = i - width;
    tbb::flow::make_edge(*nodes[static_cast<std::size_t>(above)], *nodes.back());
    const int beside = i / width * width - width + (i + 1) % width;
    if (beside != above) tbb::flow::make_edge(*nodes[static_cast<std::size_t>(beside)], *nodes.back());
  }
  start.try_put(tbb::flow::continue_msg());
  graph.wait_for_all();
}

// Messages through functions of limited concurrency, joined and numbered.
void messages(Place place) {
  using Pair = std::tuple<int, int>;
  tally.lose_count();
  tbb::flow::graph graph;
  std::atomic<std::uint64_t> sum{0};
  tbb::flow::function_node<int, int> left(graph, tbb::flow::serial, [place](int i) {
    element(place, i);
    return i;
  });
  tbb::flow::function_node<int, int, tbb::flow::lightweight> right(graph, tbb::flow::unlimited,
                                                                   [](int i) { return i * i; });
  tbb::flow::join_node<Pair, tbb::flow::queueing> both(graph);
  tbb::flow::function_node<Pair> last(
      graph, static_cast<std::size_t>(place.draw.between(1, 3)),
      [&sum](const Pair& pair) { sum += static_cast<std::uint64_t>(std::get<0>(pair) + std::get<1>(pair)); });
  tbb::flow::make_edge(left, tbb::flow::input_port<0>(both));
  tbb::flow::make_edge(right, tbb::flow::input_port<1>(both));
  tbb::flow::make_edge(both, last);
  for (int i = place.draw.between(0, 20); i > 0; --i) {
    left.try_put(i);
    right.try_put(i);
  }
  graph.wait_for_all();
  tally.add(place, sum);
}

using Construct = void (*)(Place);
// A group's tasks are made even when it is cancelled. The functions of an invocation are not, and the chunks of a loop
// are counted where their bodies are.
constexpr Construct kGroups[] = {groups,      growing_group, enqueued, thrown,   cancelled,
                                 thrown_loop, suspended,     arena,    isolation};
constexpr Construct kAlgorithms[] = {simple_loop, simple_reduction, invoke};
constexpr Construct kUncounted[] = {loop, cancelled_loop, reduction, scan, sort, feeding, pipeline, layers, messages};

bool is_counted = false;

template <std::size_t n>
void run_one_of(const Construct (&constructs)[n], Place place) {
  constructs[place.draw.between(0, static_cast<int>(n) - 1)](place);
}

void node(Place place) {
  work(place);
  if (place.depth <= 0 || place.draw.chance(25)) return;
  const int kind = place.draw.between(0, 3);
  if (kind < 2 || (is_counted && !place.is_certain)) return run_one_of(kGroups, place);
  if (kind == 2 || is_counted) return run_one_of(kAlgorithms, place);
  run_one_of(kUncounted, place);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int seed = std::atoi(argv[1]);
  const auto most = static_cast<std::size_t>(std::atoi(argv[2]));
  is_counted = seed % 2 != 0;
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, most);
  Place place{Draw(static_cast<std::uint64_t>(seed)), 5};
  for (int i = 0; i < 4; ++i) groups(place.inner(i));
  if (place.draw.chance(30)) threads(place.inner(4));
  for (int i = 5; i < 9; ++i) node(place.inner(i));
  tally.print();
  return seed % 7;
}
