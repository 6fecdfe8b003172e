// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/topology.hpp"

#include <sched.h>
#include <unistd.h>

#include <array>
#include <set>
#include <thread>

#include "catch.hpp"

using foretask::runtime::read_machine;
using foretask::trace::Machine;

TEST_CASE("the machine is described as the operating system knows it") {
  const Machine machine = read_machine();
  std::array<char, 256> name{};
  REQUIRE(gethostname(name.data(), name.size()) == 0);
  CHECK(machine.host == name.data());
  CHECK(machine.processors >= 1);
  CHECK(machine.cores >= 1);
  CHECK(machine.cores <= machine.processors);
  CHECK(machine.memory_bytes > (std::uint64_t{1} << 24));
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  CHECK(machine.processors_usable == static_cast<std::uint32_t>(CPU_COUNT(&set)));
}

TEST_CASE("every processor that this process may use has a place, and one only") {
  const Machine machine = read_machine();
  std::set<std::uint32_t> processors;
  std::set<std::uint32_t> cores;
  for (const auto& place : machine.places) {
    CHECK(processors.insert(place.processor).second);
    cores.insert(place.core);
  }
  CHECK(cores.size() == machine.cores);
  cpu_set_t set;
  REQUIRE(sched_getaffinity(0, sizeof set, &set) == 0);
  for (std::uint32_t processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set)) CHECK(processors.count(processor) == 1);
}

TEST_CASE("a machine's fingerprint is the same at every reading and from every thread's affinity") {
  const Machine first = read_machine();
  CHECK(first.fingerprint.size() == 16);
  CHECK(first.fingerprint.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(first.fingerprint != "cbf29ce484222325");  // the hash of nothing
  std::string other;
  std::thread bound([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first.places.empty() ? 0 : first.places.front().processor, &one);
    sched_setaffinity(0, sizeof one, &one);
    other = read_machine().fingerprint;
  });
  bound.join();
  CHECK(other == first.fingerprint);
}
