// SPDX-License-Identifier: Apache-2.0
// Five times a flow of a, then b and c, then d. b makes a subflow: x and y, then z. Then two asyncs. On two workers.
#include "foretask/taskflow.hpp"

#include <chrono>
#include <thread>

namespace {

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

int main() {
  tf::Executor executor(2);
  static_cast<void>(executor.make_observer<foretask::TaskflowObserver>());
  tf::Taskflow flow;
  auto a = flow.emplace([] { sleep_ms(2); }).name("a");
  auto b = flow.emplace([](tf::Subflow& parts) {
                 sleep_ms(2);
                 auto x = parts.emplace([] { sleep_ms(4); }).name("x");
                 auto y = parts.emplace([] { sleep_ms(4); }).name("y");
                 auto z = parts.emplace([] { sleep_ms(2); }).name("z");
                 z.succeed(x, y);
               })
               .name("b");
  auto c = flow.emplace([] { sleep_ms(2); }).name("c");
  auto d = flow.emplace([] { sleep_ms(2); }).name("d");
  a.precede(b, c);
  d.succeed(b, c);
  for (int i = 0; i < 5; ++i) {
    executor.run(flow).wait();
    sleep_ms(1);  // longer than a worker takes to come to its next task
  }
  executor.async([] { sleep_ms(2); });
  executor.async([] { sleep_ms(2); });
  executor.wait_for_all();
}
