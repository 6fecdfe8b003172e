// SPDX-License-Identifier: Apache-2.0
// Programs of both compilers, and those that cannot be recorded: output and exit code never change.
#include <algorithm>
#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "integration/cli_command.hpp"

using namespace cli_test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

const std::string kGcc = FORETASK_GCC;
const std::string kClang = FORETASK_CLANG;

// Every construct for which GCC calls an entry point of its own runtime.
const char* const kConstructs = R"(#include <omp.h>
#include <cstdio>
int main() {
  int tasks = 0, chain = 0, order = 0, guided = 0, critical = 0, sections = 0, x[3] = {0, 0, 0};
  long loop = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
#pragma omp single
    {
      for (int i = 0; i < 30; ++i) {
#pragma omp task depend(inout : x[i % 3]) shared(tasks, x)
        {
          x[i % 3] += i;
#pragma omp atomic
          ++tasks;
        }
      }
#pragma omp taskwait
#pragma omp taskgroup
      {
#pragma omp taskloop grainsize(3)
        for (int i = 0; i < 100; ++i) {
#pragma omp atomic
          loop += i;
        }
      }
      for (int i = 0; i < 10; ++i) {
#pragma omp task depend(out : chain) shared(chain)
        chain = 2 * chain % 1000 + i;
      }
    }
#pragma omp for schedule(dynamic, 3) ordered
    for (int i = 0; i < 100; ++i) {
#pragma omp ordered
      order = (order * 31 + i) % 100003;
    }
#pragma omp for schedule(guided)
    for (int i = 0; i < 100; ++i) {
#pragma omp critical
      guided += i;
    }
#pragma omp for schedule(runtime) nowait
    for (int i = 0; i < 100; ++i) {
#pragma omp critical(named)
      critical += i;
    }
#pragma omp sections
    {
#pragma omp section
      {
        omp_set_lock(&lock);
        ++sections;
        omp_unset_lock(&lock);
      }
#pragma omp section
      {
        omp_set_lock(&lock);
        ++sections;
        omp_unset_lock(&lock);
      }
    }
#pragma omp barrier
#pragma omp master
    std::printf("%d threads\n", omp_get_num_threads());
  }
  std::printf("%d %ld %d %d %d %d %d %d %d %d\n", tasks, loop, chain, order, guided, critical, sections, x[0], x[1], x[2]);
  return 3;
})";

// By hand: 30 tasks; 0+..+99 = 4950; x[k] = k + (k+3) + ... (10 terms) = 10 k + 135.
bool is_right(const std::string& out) {
  return out.find("2 threads\n30 4950 ") == 0 && out.find(" 4950 4950 2 135 145 155\n") != std::string::npos;
}

json report_of(const Scratch& scratch, const std::string& run) {
  const Outcome outcome = foretask(scratch, {"report", run, "--json"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  return json::parse(outcome.out);
}

}  // namespace

TEST_CASE("a program built by GCC is recorded on its own runtime with the same result") {
  const Scratch scratch;
  if (kGcc.empty() || !compile(scratch, kGcc, "app", kConstructs, {"-fopenmp"})) FORETASK_SKIP("no GCC with OpenMP");
  const Outcome recorded = foretask(scratch, {"record", "--out", "run", "--", "./app"});
  CHECK(is_right(recorded.out));
  CHECK(recorded.exit_code == 3);
  CHECK_THAT(recorded.err, ContainsSubstring("recorded into ") && !ContainsSubstring("libomp"));
  // 30 with dependences, 10 of the chain, and 33 of the taskloop: 100 iterations by at least three.
  CHECK(report_of(scratch, "run")["create_task"] == 73);
}

TEST_CASE("the option --runtime of earlier versions changes nothing, and says so where it did") {
  const Scratch scratch;
  if (kGcc.empty() || !compile(scratch, kGcc, "app", kConstructs, {"-fopenmp"})) FORETASK_SKIP("no GCC with OpenMP");
  const Outcome own = foretask(scratch, {"record", "--runtime", "libgomp", "--out", "run", "--", "./app"});
  CHECK(is_right(own.out));
  CHECK_THAT(own.err, !ContainsSubstring("warning"));
  const Outcome other = foretask(scratch, {"record", "--runtime", "libomp", "--out", "other", "--", "./app"});
  CHECK(is_right(other.out));
  CHECK_THAT(other.err, ContainsSubstring("warning: --runtime libomp has no effect any more"));
  CHECK(report_of(scratch, "other")["create_task"] == 73);
  CHECK(foretask(scratch, {"record", "--runtime", "libfoo", "--", "./app"}).exit_code == 2);
}

TEST_CASE("loops of GCC's programs that count down run each iteration once") {
  const std::string name = GENERATE("loops_down", "taskloop_down");
  const Scratch scratch;
  const std::string text = contents(fs::path(FORETASK_TESTS_DIR) / "integration/gcc" / (name + ".cpp"));
  if (kGcc.empty() || !compile(scratch, kGcc, "app", text, {"-fopenmp"})) FORETASK_SKIP("no GCC with OpenMP");
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"record", "--out", "run", "--", "./app"}, {"learn", "--", "./app"}}) {
    const Outcome outcome = foretask(scratch, words);
    CHECK(outcome.out == "0 wrong\n");
    CHECK(outcome.exit_code == 0);
  }
  if (name == "loops_down") return;
  // The construct names its tasks.
  const auto mark = text.begin() + static_cast<std::ptrdiff_t>(text.find("// three tasks"));
  const std::string place = "(app.cpp:" + std::to_string(1 + std::count(text.begin(), mark, '\n')) + ")";
  const json report = report_of(scratch, "run");
  std::set<int> counts;
  for (const json& kernel : report["kernels"])
    if (kernel.at("name").get<std::string>().find(place) != std::string::npos)
      counts.insert(kernel.at("count").get<int>());
  CHECK(counts == std::set<int>{3});
}

// Their names and arguments say the schedules; the first loop is the program's first use of OpenMP.
TEST_CASE("schedules of GCC's loops are known, and each thread's share has the loop's place") {
  const Scratch scratch;
  const std::string text = contents(fs::path(FORETASK_TESTS_DIR) / "integration/gcc/loop_schedules.cpp");
  if (kGcc.empty() || !compile(scratch, kGcc, "app", text, {"-fopenmp"})) FORETASK_SKIP("no GCC with OpenMP");
  const int threads = GENERATE(1, 2);
  const Outcome recorded = foretask(scratch, {"record", "--out", "run", "--", "./app"},
                                    "export OMP_SCHEDULE=static,7 OMP_NUM_THREADS=" + std::to_string(threads) + ";");
  REQUIRE(recorded.exit_code == 0);
  const json report = report_of(scratch, "run");
  std::map<std::string, json> by_place;
  for (const json& loop : report["loops"]) {
    const std::string name = loop.at("name");
    CHECK_THAT(name, !ContainsSubstring("0x") && !ContainsSubstring("libforetask"));
    if (loop.at("iterations") != 0) by_place[name] = loop;
  }
  std::size_t marks = 0;
  int number = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    ++number;
    const std::size_t mark = line.find("// = ");
    if (mark == std::string::npos) continue;
    ++marks;
    const std::string place = "(app.cpp:" + std::to_string(number) + ")";
    const auto found = std::find_if(by_place.begin(), by_place.end(),
                                    [&](const auto& one) { return one.first.find(place) != std::string::npos; });
    INFO(line << report["loops"].dump(1));
    REQUIRE(found != by_place.end());
    CHECK(found->second.at("schedule") == line.substr(mark + 5));
    CHECK(found->second.at("iterations") == 60);
    CHECK(found->second.at("instances") == 1);
  }
  CHECK(marks == by_place.size());
  CHECK(marks == 8);
}

TEST_CASE("a run path that names libgomp's folder does not keep the recorder out") {
  const Scratch scratch;
  if (kGcc.empty()) FORETASK_SKIP("no GCC with OpenMP");
  const std::string libgomp = run(scratch, {kGcc, "-print-file-name=libgomp.so.1"}).out;
  fs::create_directory(scratch / "lib");
  std::error_code error;
  fs::copy_file(libgomp.substr(0, libgomp.find('\n')), scratch / "lib/libgomp.so.1", error);
  if (error) FORETASK_SKIP("no libgomp.so.1 to copy");
  REQUIRE(
      compile(scratch, kGcc, "app", kConstructs, {"-fopenmp", "-Wl,--disable-new-dtags,-rpath," + (scratch / "lib")}));
  const Outcome recorded = foretask(scratch, {"record", "--out", "run", "--", "./app"});
  CHECK(is_right(recorded.out));
  CHECK(report_of(scratch, "run")["create_task"] == 73);
}

TEST_CASE("a program built by Clang is recorded with the same result") {
  const Scratch scratch;
  if (kClang.empty() || !compile(scratch, kClang, "app", kConstructs, {"-fopenmp"}))
    FORETASK_SKIP("no Clang with OpenMP");
  const Outcome recorded = foretask(scratch, {"record", "--out", "run", "--", "./app"});
  CHECK(is_right(recorded.out));
  CHECK(recorded.exit_code == 3);
  CHECK(report_of(scratch, "run")["create_task"].get<int>() >= 41);
}

// What GCC compiled calls the runtime that is loaded first. A program's own runtime comes before its libraries'.
TEST_CASE("of a program on both compilers' runtimes what runs on LLVM's is recorded, and a warning says what is not") {
  const bool is_llvm_first = GENERATE(true, false);
  const Scratch scratch;
  const std::string& main = is_llvm_first ? kClang : kGcc;
  const std::string& other = is_llvm_first ? kGcc : kClang;
  const char* const part = R"(void NAME(int* sum, int tasks) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < tasks; ++i)
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
    *sum += i;
}
)";
  const std::string program = "#include <cstdio>\n" + std::string(part) +
                              "void other(int*, int);\nint main() { int a = 0, b = 0; own(&a, 10); other(&b, 20); "
                              "std::printf(\"%d %d\\n\", a, b); }";
  const std::string folder = scratch.path();
  if (main.empty() || other.empty() ||
      !compile(scratch, other, "libpart.so", part, {"-fopenmp", "-shared", "-fPIC", "-DNAME=other"}) ||
      !compile(scratch, main, "app", program,
               {"-fopenmp", "-DNAME=own", folder + "/libpart.so", "-Wl,-rpath," + folder}))
    FORETASK_SKIP("no GCC and Clang with OpenMP");
  const Outcome recorded = foretask(scratch, {"record", "--out", "run", "--", "./app"});
  CHECK(recorded.out == "45 190\n");
  const bool is_warned = recorded.err.find("What runs on GCC's is not recorded") != std::string::npos;
  CHECK(is_warned == !is_llvm_first);
  CHECK(report_of(scratch, "run")["create_task"] == (is_llvm_first ? 30 : 20));
}

TEST_CASE("a statically linked program runs unrecorded and says so") {
  const Scratch scratch;
  if (kGcc.empty() || !compile(scratch, kGcc, "app", kConstructs, {"-fopenmp", "-static"}))
    FORETASK_SKIP("no static libgomp");
  const Outcome outcome = foretask(scratch, {"record", "--", "./app"});
  CHECK(is_right(outcome.out));
  CHECK(outcome.exit_code == 3);
  CHECK_THAT(outcome.err,
             ContainsSubstring("warning: ./app is statically linked") && !ContainsSubstring("recorded into"));
}

TEST_CASE("a copy of libgomp inside the program is told") {
  const Scratch scratch;
  if (kGcc.empty() ||
      !compile(scratch, kGcc, "app", kConstructs, {"-fopenmp", "-Wl,-Bstatic", "-lgomp", "-Wl,-Bdynamic"}))
    FORETASK_SKIP("no static libgomp");
  const Outcome outcome = foretask(scratch, {"record", "--", "./app"});
  CHECK(is_right(outcome.out));
  CHECK_THAT(outcome.err, ContainsSubstring("holds a copy of libgomp"));
}

TEST_CASE("a program whose regions are begun as by GCC 4.8 runs unrecorded, and is told") {
  const Scratch scratch;
  const char* const text = R"(#include <cstdio>
extern "C" void GOMP_parallel_start(void (*)(void*), void*, unsigned);
extern "C" void GOMP_parallel_end();
void body(void* threads) { __atomic_fetch_add((int*)threads, 1, __ATOMIC_RELAXED); }
int main() {
  int threads = 0;
  GOMP_parallel_start(body, &threads, 2);
  body(&threads);
  GOMP_parallel_end();
  std::printf("%d threads\n", threads);
})";
  if (kGcc.empty() || !compile(scratch, kGcc, "app", text, {"-fopenmp"})) FORETASK_SKIP("no GCC with OpenMP");
  const Outcome outcome = foretask(scratch, {"record", "--", "./app"});
  CHECK(outcome.out == "2 threads\n");
  CHECK_THAT(outcome.err, ContainsSubstring("GCC 4.8") && ContainsSubstring("runs unrecorded") &&
                              !ContainsSubstring("recorded into"));
}

TEST_CASE("the recorded program's children inherit the user's own environment") {
  const Scratch scratch;
  const char* const text = R"(#include <cstdlib>
int main() {
  int threads = 0;
#pragma omp parallel num_threads(2)
#pragma omp atomic
  ++threads;
  if (threads != 2) return 1;
  return std::system("env | grep -E '^(FORETASK|OMP_TOOL|LD_|KEPT)' | sort");
})";
  if (kGcc.empty() || !compile(scratch, kGcc, "app", text, {"-fopenmp"})) FORETASK_SKIP("no GCC with OpenMP");
  const Outcome outcome = foretask(scratch, {"record", "--param", "n=1", "--", "./app"},
                                   "unset FORETASK_GRAIN_NS; LD_LIBRARY_PATH=/opt/mine; KEPT=1; FORETASK_CALIBRATE=0; "
                                   "export LD_LIBRARY_PATH KEPT FORETASK_CALIBRATE;");
  CHECK(outcome.out == "FORETASK_CALIBRATE=0\nKEPT=1\nLD_LIBRARY_PATH=/opt/mine\n");
  CHECK_THAT(outcome.err, ContainsSubstring("recorded into "));
}

TEST_CASE("a script's programs are recorded, each into a folder of its own") {
  const Scratch scratch;
  if (kClang.empty() || !compile(scratch, kClang, "app", kConstructs, {"-fopenmp"}))
    FORETASK_SKIP("no Clang with OpenMP");
  std::ofstream(scratch / "twice") << "#!/bin/sh\n./app; ./app\n";
  fs::permissions(scratch / "twice", fs::perms::owner_all);
  const Outcome outcome = foretask(scratch, {"record", "./twice"});
  std::set<std::string> folders;
  const std::string words = "recorded into ";
  for (std::size_t at = 0; (at = outcome.err.find(words, at)) != std::string::npos;) {
    at += words.size();
    folders.insert(outcome.err.substr(at, outcome.err.find_first_of(" \n", at) - at));
  }
  INFO(outcome.err);
  CHECK(folders.size() == 2);
}
