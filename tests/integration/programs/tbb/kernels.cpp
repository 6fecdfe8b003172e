// SPDX-License-Identifier: Apache-2.0
// oneTBB programs whose kernels can be told by hand: kernels HOW THREADS. Prints how many bodies ran.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace {

std::atomic<long> bodies{0};

void work(int us) {
  ++bodies;
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

void pipeline() {
  int items = 0;
  tbb::parallel_pipeline(
      4, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order,
                                     [&items](tbb::flow_control& control) {  // source
                                       if (items == 20) control.stop();
                                       work(5);
                                       return items++;
                                     }) &
             tbb::make_filter<int, long>(tbb::filter_mode::parallel,
                                         [](int item) {  // middle
                                           work(20);
                                           return long{item};
                                         }) &
             tbb::make_filter<long, void>(tbb::filter_mode::serial_in_order, [](long) { work(5); }));  // sink
}

struct Doubles {  // second node
  int operator()(int item) const {
    work(20);
    return 2 * item;
  }
};

struct Third {  // third node
  void operator()(const tbb::flow::continue_msg&) const { work(20); }
};
struct Fourth {  // fourth node
  void operator()(const tbb::flow::continue_msg&) const { work(20); }
};

// A graph in front of its nodes in memory. These are of one class.
struct Chain {
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  tbb::flow::graph all;
  Node third{all, Third()};
  Node fourth{all, Fourth()};
};

void chain() {
  Chain chain;
  tbb::flow::make_edge(chain.third, chain.fourth);
  for (int i = 0; i < 10; ++i) chain.third.try_put(tbb::flow::continue_msg());
  chain.all.wait_for_all();
}

void graph() {
  chain();
  tbb::flow::graph all;
  const auto add_one = [](int item) {  // first node
    work(20);
    return item + 1;
  };
  const auto drop = [](int) {  // last node
    work(20);
    return tbb::flow::continue_msg();
  };
  tbb::flow::function_node<int, int> first(all, tbb::flow::unlimited, add_one);
  tbb::flow::function_node<int, int> second(all, tbb::flow::unlimited, Doubles());
  tbb::flow::function_node<int> last(all, tbb::flow::unlimited, drop);
  tbb::flow::make_edge(first, second);
  tbb::flow::make_edge(second, last);
  for (int i = 0; i < 10; ++i) first.try_put(i);
  all.wait_for_all();
}

__attribute__((noinline)) void one() { work(20); }    // one
__attribute__((noinline)) void other() { work(25); }  // other

void functions() {
  tbb::task_group group;
  void (*const called[])() = {one, other, one};
  for (void (*function)() : called) group.run(function);
  group.wait();
  tbb::parallel_invoke(other, other, other, other, other, other);
}

// Loops of 1000 iterations in all, of all sizes and signs of indices.
void ranges() {
  const auto in_parts = [](const auto& range) {
    for (auto i = range.begin(); i != range.end(); ++i) work(1);
  };
  tbb::parallel_for(tbb::blocked_range<int>(-100, 200, 7), in_parts, tbb::simple_partitioner());  // int range
  tbb::parallel_for(tbb::blocked_range<std::int64_t>(-50, 50), in_parts, tbb::auto_partitioner());
  tbb::parallel_for(tbb::blocked_range<std::uint16_t>(0, 100), in_parts, tbb::static_partitioner());
  tbb::parallel_for(std::size_t{0}, std::size_t{100}, [](std::size_t) { work(1); });
  const auto sum = [](const tbb::blocked_range<unsigned>& range, long before) {
    for (unsigned i = range.begin(); i != range.end(); ++i) work(1);
    return before + static_cast<long>(range.size());
  };
  tbb::parallel_reduce(tbb::blocked_range<unsigned>(0, 400, 3), 0L, sum, std::plus<long>());
}

void nested(int depth) {
  tbb::parallel_for(tbb::blocked_range<int>(0, 4, 1), [depth](const tbb::blocked_range<int>& range) {
    for (int i = range.begin(); i != range.end(); ++i) depth > 0 ? nested(depth - 1) : work(1);
  });
}
// A loop's body that runs the same loop: 1 + 4 + 16 of them.
void recursive() { nested(2); }

// Chunks that take as long as they have iterations.
void learned() {
  for (int repeat = 0; repeat < 40; ++repeat)
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 400, 10),
        [](const tbb::blocked_range<int>& range) {  // learned loop
          work(5 * static_cast<int>(range.size()));
        },
        tbb::simple_partitioner());
  // The last task may end after the loop.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)()> all{{"pipeline", pipeline}, {"graph", graph},     {"functions", functions},
                                              {"ranges", ranges},     {"learned", learned}, {"recursive", recursive}};
  const auto found = argc == 3 ? all.find(argv[1]) : all.end();
  if (found == all.end()) return 2;
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(std::stoi(argv[2])));
  found->second();
  std::printf("%ld\n", bodies.load());
  return 0;
}
