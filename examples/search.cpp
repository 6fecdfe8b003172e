// SPDX-License-Identifier: Apache-2.0
// A parallel search in which the first solution wins: for each input, tasks that walk at random from different starts
// (search/walksat.hpp), the first of which to arrive cancels the others.
//
// The walks of an input are independent of each other, having random numbers of their own. All inputs are equally hard,
// being one formula in different disguises. So the flips of all walks of all inputs are independent numbers from one
// distribution, and the winner's of N walks are the least of N of them.
#include <atomic>

#include "search/walksat.hpp"
#include "sleep.hpp"

namespace {

struct Options {
  long variables = 400;
  long clauses = 390;  // for 100 variables
  long formula = 1;
  long inputs = 100;
  long searches = 0;
  long chunk = 64;
  long sleep_ns = 0;
  long seed = 1;
  std::string times;
};

// So many are looked at in the time of a flip.
constexpr long kClausesForAFlip = 20;

// What the searches of one input share.
struct Race {
  const walksat::Formula* formula = nullptr;
  std::uint64_t seed = 0;
  long flips_to_begin = 0;  // a walk's first look at the formula takes about as long
  std::int64_t start_ns = 0;
  std::int64_t winner_ns = 0;  // when the winner had its solution; like solution, its alone to write
  std::int64_t stop_ns = 0;    // when all searches had ended
  std::atomic<bool> won = false;
  walksat::Assignment solution;
};

// Where walks sleep: until the time that a flip takes has passed so often since the walk began. Deadlines count from
// there, so that a late wake-up is not added to the next one.
void sleep_to_flip(long flip, const Options& options, std::int64_t start_ns) {
  if (options.sleep_ns > 0) examples::sleep_until(start_ns + flip * options.sleep_ns);
}

// Two tasks, each for half of the numbers: it has two more search for all of them but the first, and then walks for
// that one. Tasks are found sooner in many queues: 64 threads on two processors that look for those of a single one
// take three milliseconds to start.
[[gnu::noinline]] void search(Race* race, const Options* options, long first, long last) {
  const long half = (last - first + 1) / 2;
  for (long begin = first; begin < last; begin += half) {
    const long end = std::min(begin + half, last);
#pragma omp task firstprivate(race, options, begin, end)
    {
      const std::int64_t start_ns = examples::now_ns();
      search(race, options, begin + 1, end);
      sleep_to_flip(race->flips_to_begin, *options, start_ns);
      walksat::Walk walk(*race->formula, examples::random_bits(race->seed, static_cast<std::uint64_t>(begin)));
      bool solved = false;
      while (!solved) {
#pragma omp cancellation point taskgroup
        solved = walk.advance(options->chunk);
        sleep_to_flip(race->flips_to_begin + walk.flips(), *options, start_ns);
      }
      if (!race->won.exchange(true)) {
        race->winner_ns = examples::now_ns();
        race->solution = walk.values();
      }
#pragma omp cancel taskgroup
    }
  }
}

void find_first(Race* race, const Options* options, long searches) {
#pragma omp taskgroup
  search(race, options, 0, searches);
}

// Mean and standard deviation.
struct Spread {
  double mean = 0;
  double sd = 0;
};

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  for (const double value : values) spread.mean += value / static_cast<double>(values.size());
  for (const double value : values) spread.sd += (value - spread.mean) * (value - spread.mean);
  spread.sd = values.size() > 1 ? std::sqrt(spread.sd / static_cast<double>(values.size() - 1)) : 0;
  return spread;
}

// Seconds, an entry an input.
struct Times {
  std::vector<double> winner;
  std::vector<double> group;
};

bool write(const Times& times, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "w");
  if (file == nullptr) return false;
  bool written = std::fprintf(file, "winner_s,group_s\n") > 0;
  for (std::size_t i = 0; i < times.winner.size(); ++i)
    written = std::fprintf(file, "%.9f,%.9f\n", times.winner[i], times.group[i]) > 0 && written;
  return std::fclose(file) == 0 && written;
}

// Whether every input's solution is one.
bool search_all(const walksat::Formula& formula, const Options& options, examples::Run& run) {
  Times times;
  bool all_right = true;
#pragma omp parallel num_threads(run.threads)
  {
#pragma omp barrier
#pragma omp single nowait
    {
      run.start();
      const long searches = options.searches > 0 ? options.searches : run.threads;
      for (long input = 0; input < options.inputs; ++input) {
        Race race;
        race.seed = examples::random_bits(static_cast<std::uint64_t>(options.seed), static_cast<std::uint64_t>(input));
        const walksat::Formula disguise = walksat::disguised(formula, ~race.seed);
        race.formula = &disguise;
        race.flips_to_begin = static_cast<long>(disguise.clauses().size()) / kClausesForAFlip;
        race.start_ns = examples::now_ns();
        find_first(&race, &options, searches);
        race.stop_ns = examples::now_ns();
        all_right = all_right && disguise.satisfied_by(race.solution);
        times.winner.push_back(static_cast<double>(race.winner_ns - race.start_ns) * 1e-9);
        times.group.push_back(static_cast<double>(race.stop_ns - race.start_ns) * 1e-9);
      }
    }
  }
  run.stop();
  const Spread winner = spread_of(times.winner);
  const Spread group = spread_of(times.group);
  std::printf("search: %ld inputs, winner mean=%.6f sd=%.6f, group mean=%.6f sd=%.6f\n", options.inputs, winner.mean,
              winner.sd, group.mean, group.sd);
  if (!options.times.empty() && !write(times, options.times)) {
    std::fprintf(stderr, "search: cannot write '%s'\n", options.times.c_str());
    std::exit(1);
  }
  return all_right;
}

bool can_cancel() {
#ifdef _OPENMP
  return omp_get_cancellation() != 0;
#else
  return true;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  examples::Arguments arguments("search", "random walks to a solution of a formula, the first of which wins");
  arguments.number("-n", "variables", options.variables, 3, 1'000'000);
  arguments.number("-c,--clauses", "clauses for 100 variables; walks take longest at about 420", options.clauses, 1,
                   420);
  arguments.number("--formula", "seed of the formula", options.formula, 0, 1'000'000'000);
  arguments.number("--inputs", "so often is the formula disguised and solved anew", options.inputs, 1, 10'000'000);
  arguments.number("--searches", "walks for an input; 0: one for each thread", options.searches, 0, 1'000'000);
  arguments.number("--chunk", "flips from one cancellation point to the next", options.chunk, 1, 1'000'000'000);
  arguments.number("--sleep", "ns that a flip takes, asleep; 0 does not sleep", options.sleep_ns, 0, 1'000'000'000);
  arguments.number("--seed", "seed of disguises and walks", options.seed, 0, 1'000'000'000);
  arguments.text("--times", "file for the seconds of each input: until it had a winner, until all had ended",
                 options.times);
  arguments.parse(argc, argv);
  if (!can_cancel()) {
    std::fprintf(stderr, "search: OpenMP does not cancel; set OMP_CANCELLATION=true\n");
    return 2;
  }
  if (options.sleep_ns > 0) examples::wake_on_time();
  const walksat::Formula formula = walksat::random_formula(
      static_cast<std::size_t>(options.variables), static_cast<std::size_t>(options.variables * options.clauses / 100),
      static_cast<std::uint64_t>(options.formula));
  return arguments.repeat(options.variables, [&](examples::Run& run) { return search_all(formula, options, run); });
}
