// SPDX-License-Identifier: Apache-2.0
// foretask doctor: what works here, and why something does not.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "cli/launch/calibration.hpp"
#include "cli/launch/elf_program.hpp"
#include "cli/launch/library_search.hpp"
#include "cli/launch/program_runtimes.hpp"
#include "foretask/analysis/calibration.hpp"
#include "foretask/analysis/machine.hpp"
#include "report/plain_text.hpp"

namespace foretask::cli {
namespace {

// Of the processor, then of the kernel, which has them everywhere.
constexpr std::array kCounters{"PAPI_TOT_INS",     "PAPI_TOT_CYC",      "PAPI_L3_TCM",
                               "perf::TASK-CLOCK", "perf::PAGE-FAULTS", "perf::CONTEXT-SWITCHES"};

class Findings {
 public:
  void add(std::string_view subject, bool works, std::string_view what) {
    fmt::format_to(std::back_inserter(text_), "{:<10} {:<3} {}\n", subject == last_ ? std::string_view() : subject,
                   works ? "ok" : "no", what);
    last_ = subject;
  }
  [[nodiscard]] std::string text() const { return fmt::to_string(text_); }

 private:
  fmt::memory_buffer text_;
  std::string last_;
};

void check_openmp(Findings& findings) {
  const auto hook = find_hook_library(kOpenmpHook);
  findings.add("recorder", hook.ok(), hook ? *hook : hook.error().message());
  const auto runtimes = find_libomp();
  for (const std::string& path : runtimes) {
    const auto library = read_elf_program(path);
    const bool takes_tools = library && std::ranges::count(library->exports, "ompt_start_tool") != 0;
    std::error_code ignored;
    findings.add("OpenMP", takes_tools,
                 fmt::format("{}: {}", std::filesystem::weakly_canonical(path, ignored).string(),
                             takes_tools ? "loads the recorder" : "has no tool interface, or cannot be read"));
  }
  const auto native = find_hook_library(kGompHook);
  if (native) {
    findings.add("OpenMP", true,
                 fmt::format("{}: programs that GCC built are recorded on their own runtime, libgomp{}", *native,
                             runtimes.empty() ? ". No libomp is here, and they need none" : ""));
  } else {
    findings.add("OpenMP", false, "programs that GCC built are not recorded: " + native.error().message());
  }
}

// The hook of a runtime other than OpenMP's, and what is recorded with it and not without.
struct OtherHook {
  const char* subject;
  const char* library;
  const char* with;
  const char* without;
};
constexpr std::array kOtherHooks{
    OtherHook{"MPI", kMpiHook, "messages between Open MPI's processes are recorded",
              "messages between Open MPI's processes are not recorded"},
    OtherHook{"MPI", kMpichHook, "messages between MPICH's processes are recorded",
              "messages between MPICH's processes are not recorded"},
    OtherHook{"StarPU", kStarpuHook, "StarPU's tasks are recorded and learned", "StarPU programs are not recorded"},
    OtherHook{"oneTBB", kTbbHook, "oneTBB's tasks are recorded and learned", "oneTBB programs are not recorded"}};

void check_other_hooks(Findings& findings) {
  for (const OtherHook& one : kOtherHooks) {
    const auto hook = find_hook_library(one.library);
    findings.add(
        one.subject, hook.ok(),
        hook ? fmt::format("{}: {}", *hook, one.with) : fmt::format("{}: {}", one.without, hook.error().message()));
  }
}

void check_machine(Findings& findings) {
  const analysis::MachineFacts facts = analysis::inspect_machine();
  findings.add(
      "clock", facts.clock_is_invariant,
      facts.clock_is_invariant
          ? fmt::format("the processor's counter, {:.3f} GHz{}", facts.counter_ghz,
                        facts.clock_step_ns != 0 ? fmt::format(", in steps of {:.0f} ns", facts.clock_step_ns) : "")
          : "the processor's counter is not invariant. CLOCK_MONOTONIC is used, and each event costs more");
  findings.add("topology", facts.cores != 0,
               fmt::format("{}: {} package(s), {} NUMA node(s), {} core(s), {} processor(s), {} of them usable here",
                           facts.processor_model, facts.packages, facts.numa_nodes, facts.cores, facts.processors,
                           facts.processors_usable));
  findings.add("topology", facts.cores != 0,
               fmt::format("{:.1f} GiB of memory; fingerprint {}", static_cast<double>(facts.memory_bytes) / (1 << 30),
                           facts.fingerprint));
  findings.add("waits", facts.tells_core_wait,
               facts.tells_core_wait
                   ? "threads' waits for a core are seen, and time blocked in the system"
                   : "the system does not count threads' waits for a core (/proc/self/schedstat): they count as work");
  findings.add("functions", facts.sampling_obstacle.empty(),
               facts.sampling_obstacle.empty()
                   ? "threads are sampled: reports name the functions within kernels"
                   : "reports name no functions within kernels: " + facts.sampling_obstacle);
  std::string costs;
  for (const auto& [event, ns] : facts.probe_ns)
    costs += fmt::format("{}{} {:.1f} ns", costs.empty() ? "" : ", ", event, ns);
  findings.add("own cost", true, costs);
}

int run() {
  Findings findings;
  check_openmp(findings);
  check_other_hooks(findings);
  check_machine(findings);
  for (const analysis::CounterFact& counter : analysis::inspect_counters({kCounters.begin(), kCounters.end()})) {
    const bool works = counter.status == "ok";
    findings.add("counters", works,
                 works ? counter.name : fmt::format("{}: {}, {}", counter.name, counter.status, counter.reason));
  }
  const bool writable = ::access(".", W_OK | X_OK) == 0;
  findings.add(
      "folder", writable,
      writable ? "recordings can be written here" : "nothing can be written here: choose another folder with --out");
  return print_or_fail(report::wrapped(findings.text()));
}

std::string costs_text(const analysis::RuntimeCosts& costs) {
  std::string text = fmt::format("{:>8}", "threads");
  for (const analysis::TeamCostField& field : analysis::kTeamCostFields)
    text += fmt::format("{:>10}", field.name.substr(0, field.name.rfind('_')));
  for (const analysis::TeamCosts& team : costs.teams) {
    text += fmt::format("\n{:>8}", team.threads);
    for (const analysis::TeamCostField& field : analysis::kTeamCostFields)
      text += fmt::format("{:>10}", team.*field.ns);
  }
  return text + "\n";
}

int run_calibration(const std::string& runtime, const std::string& library) {
  const auto costs = calibrate(runtime, library);
  if (!costs) return fail(costs.error());
  std::string text =
      "What " + runtime + " takes for its own work, in ns:\n\n" + costs_text(*costs) + "\n" +
      fmt::format("Where a recorder listens, a task takes {} ns more, beside its probes.\n", costs->listen_ns);
  if (costs->spread > analysis::kUnsureSpread)
    text += fmt::format(
        "The repetitions differ by {:.0f} %: the machine was busy, and what rests on these costs is unsure. Repeat "
        "this "
        "when it is idle.\n",
        100 * costs->spread);
  if (costs->teams.size() < 2)
    text += "Only a team of one could be measured: for larger teams there is what each recording says itself.\n";
  const std::uint32_t most = costs->teams.back().threads;
  const auto stored = analysis::stored_runtime_costs(costs->library);
  if (stored && stored->teams.back().threads > most)
    return print_or_fail(
        report::wrapped(fmt::format("{}Not stored: what is stored already knows teams of up to {} threads, and here no "
                                    "more than {} can run. Repeat "
                                    "this without OMP_THREAD_LIMIT, taskset and their like.\n",
                                    text, stored->teams.back().threads, most)));
  if (stored && stored->teams.back().threads == most &&
      costs->spread > std::max(stored->spread, analysis::kUnsureSpread))
    return print_or_fail(report::wrapped(
        fmt::format("{}Not stored: what is stored, of {}, is surer: its repetitions differ by {:.0f} %.\n", text,
                    stored->measured, 100 * stored->spread)));
  const auto path = analysis::store_runtime_costs(*costs);
  return path ? print_or_fail(text + "Stored in " + *path + "\n") : fail(path.error());
}

}  // namespace

Command add_doctor(CLI::App& app) {
  CLI::App* command = app.add_subcommand("doctor", "Say what works on this machine, and why something does not");
  auto calibrates = std::make_shared<bool>(false);
  auto runtime = std::make_shared<std::string>(kLlvmOpenmp);
  CLI::Option* const flag = command->add_flag(
      "--calibrate", *calibrates, "Measure what a runtime takes to create, start and join tasks, and store it");
  command
      ->add_option("--runtime", *runtime,
                   "With --calibrate: libomp (LLVM's OpenMP), libgomp (GCC's) or libtbb (oneTBB) (default: libomp)")
      ->check(CLI::IsMember({kLlvmOpenmp, kGccOpenmp, kOnetbb}))
      ->needs(flag);
  auto library = std::make_shared<std::string>();
  command
      ->add_option("--library", *library,
                   "With --calibrate: the runtime's library (default: the one that programs find on this system)")
      ->check(CLI::Validator(check_not_empty, "FILE"))
      ->needs(flag);
  return {command,
          [calibrates, runtime, library] { return *calibrates ? run_calibration(*runtime, *library) : run(); }};
}

}  // namespace foretask::cli
