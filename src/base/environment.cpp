// SPDX-License-Identifier: Apache-2.0
#include "base/environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "base/number_text.hpp"

extern char** environ;

namespace foretask::base {
namespace {

bool take_number(std::string_view& text, char end, std::size_t& number) noexcept {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest == text.data() + text.size() || *rest != end) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()) + 1);
  return true;
}

bool take_own_process(std::string_view& text) noexcept {
  std::size_t process = 0;
  return take_number(text, ' ', process) && process == static_cast<std::size_t>(::getpid());
}

constexpr std::array<std::string_view, 19> kKnown = {
    "FORETASK",          "FORETASK_OUT",       "FORETASK_MAX_BYTES",        "FORETASK_PARAMS",
    "FORETASK_COUNTERS", "FORETASK_LAUNCH_NS", "FORETASK_ANNOUNCE",         "FORETASK_LAUNCHER_VARS",
    "FORETASK_HOME",     "FORETASK_PROCESSES", "FORETASK_COUNTER_SAMPLING", "FORETASK_PROGRESS",
    "FORETASK_COMMAND",  "FORETASK_STDERR",    "FORETASK_SAMPLES",          "FORETASK_CALIBRATE",
    "FORETASK_TUNE",     "FORETASK_TUNE_JSON", "FORETASK_GRAIN_NS"};

std::string get(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool known(std::string_view name) { return std::find(kKnown.begin(), kKnown.end(), name) != kKnown.end(); }

void warn_of_unknown(Environment& result) {
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view text(*entry);
    if (text.substr(0, 8) != "FORETASK") continue;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.size() > 8 && name[8] != '_') continue;
    if (!known(name)) result.warnings.push_back("unknown variable " + std::string(name) + " is ignored");
  }
}

void read_mode(Environment& result) {
  const std::string text = get("FORETASK");
  if (text.empty() || text == "off") return;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(one.size());
    const bool is_last = rest.empty();
    if (!is_last) rest.remove_prefix(1);
    bool* const wanted = one == "record"  ? &result.mode.records
                         : one == "learn" ? &result.mode.learns
                         : one == "tune"  ? &result.mode.tunes
                                          : nullptr;
    if (wanted == nullptr || *wanted || (rest.empty() && !is_last)) {
      result.mode = {};
      result.warnings.push_back("FORETASK=" + text + " is not one of off, record, learn, tune: taken as off");
      return;
    }
    *wanted = true;
  }
}

void read_progress(Environment& result) {
  const std::string progress = get("FORETASK_PROGRESS");
  const std::string mode = get("FORETASK");
  if (!mode.empty() && result.mode.is_off()) return;  // off means off
  if (progress == "1") {
    result.progress = ProgressMode::kText;
  } else if (progress == "json") {
    result.progress = ProgressMode::kJson;
  } else if (progress == "quiet") {
    result.progress = ProgressMode::kQuiet;
  } else if (!progress.empty() && progress != "0") {
    result.progress_warning = "FORETASK_PROGRESS=" + progress + " is not one of 0, 1, json, quiet: taken as 0";
  }
}

void read_params(Environment& result) {
  const std::string params = get("FORETASK_PARAMS");
  std::string_view text = params;
  while (!text.empty()) {
    const std::string_view line = take_part(text, '\n');
    if (line.empty()) continue;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || equals == 0) {
      result.warnings.push_back("FORETASK_PARAMS: '" + std::string(line) + "' is not NAME=VALUE");
      continue;
    }
    result.params.emplace_back(line.substr(0, equals), line.substr(equals + 1));
  }
}

// Empty where the value is another program's, or makes no sense.
std::vector<std::string> parse_command(const std::string& value) {
  std::string_view text = said_of_this_program(value).value_or("");
  std::vector<std::string> command;
  while (!text.empty()) {
    std::size_t size = 0;
    if (!take_number(text, ':', size) || size > text.size()) return {};
    command.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return command;
}

// A number above 0; `number` stays, and a warning says `doubt`, where it is none.
void read_number(Environment& result, const char* name, const std::string& doubt, std::uint32_t& number) {
  const std::string text = get(name);
  if (text.empty()) return;
  if (const auto value = parse_number<std::uint32_t>(text).value_or(0); value != 0) {
    number = value;
  } else {
    result.warnings.push_back(std::string(name) + "=" + text + " " + doubt);
  }
}

bool is_one_of(const char* variable, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [variable](const std::string& name) {
    return std::strncmp(variable, name.c_str(), name.size()) == 0 && variable[name.size()] == '=';
  });
}

// Other threads of the program may read the environment meanwhile. Where unsetenv() moves what is behind a variable to
// the front, and a reader may miss one, this moves what is before it to the end. Its callers are one at a time.
void remove_variables(const std::vector<std::string>& names) {
  std::size_t count = 0;
  while (environ[count] != nullptr) ++count;
  std::size_t first = count;
  for (std::size_t i = count; i-- > 0;)
    if (!is_one_of(environ[i], names)) environ[--first] = environ[i];
  // For who has the old beginning, as main() may: one variable several times, none of those removed.
  char** const kept = environ + first;
  for (std::size_t i = 0; i < first; ++i) environ[i] = *kept;
  environ = kept;
}

}  // namespace

std::optional<std::uint64_t> parse_bytes(const std::string& text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || rest == text.data()) return std::nullopt;
  unsigned shift = 0;
  if (rest != end) {
    const std::size_t unit = std::string_view("kKmMgG").find(*rest);  // two letters each
    if (rest + 1 != end || unit == std::string_view::npos) return std::nullopt;
    shift = 10 * (1 + static_cast<unsigned>(unit) / 2);
  }
  if (shift != 0 && value > (~std::uint64_t{0} >> shift)) return std::nullopt;
  return value << shift;
}

Environment read_environment() {
  Environment result;
  // A set-uid program must not write where its caller says.
  if (getauxval(AT_SECURE) != 0) return result;
  read_mode(result);
  result.out = get("FORETASK_OUT");
  result.counters = get("FORETASK_COUNTERS");
  if (!result.mode.records && result.mode.learns && !result.counters.empty())
    result.warnings.push_back("FORETASK_COUNTERS=" + result.counters +
                              " is ignored: counters are read where tasks are recorded, not where they are learned");
  const std::string announced = get("FORETASK_ANNOUNCE");
  result.announces = !announced.empty();
  result.is_launched = is_said_of_this_process(get("FORETASK_STDERR"));
  if (announced != "1" && result.is_launched) result.nothing_recorded = announced;
  result.command = parse_command(get("FORETASK_COMMAND"));
  read_params(result);
  read_progress(result);
  if (const std::string limit = get("FORETASK_MAX_BYTES"); !limit.empty()) {
    if (const auto bytes = parse_bytes(limit)) {
      result.max_bytes = *bytes;
    } else {
      result.warnings.push_back("FORETASK_MAX_BYTES=" + limit + " is not a number of bytes: there is no limit");
    }
  }
  read_number(result, "FORETASK_COUNTER_SAMPLING", "is not a number of tasks: the counters of each task are read",
              result.counter_sampling);
  read_number(result, "FORETASK_PROCESSES",
              "is not a number of processes: " + std::to_string(kMostProcesses) + " are recorded at most",
              result.processes);
  if (get("FORETASK_GRAIN_NS") == "0")
    result.grain_ns = 0;
  else
    read_number(result, "FORETASK_GRAIN_NS", "is not a number of ns: taken as " + std::to_string(kUsualGrainNs),
                result.grain_ns);
  result.grain_ns = std::min(result.grain_ns, kMostGrainNs);
  if (const std::string samples = get("FORETASK_SAMPLES"); samples == "0") {
    result.samples_code = false;
  } else if (!samples.empty() && samples != "1") {
    result.warnings.push_back("FORETASK_SAMPLES=" + samples + " is not one of 0, 1: taken as 1");
  }
  if (const std::string launch = get("FORETASK_LAUNCH_NS"); !launch.empty()) {
    const auto launch_ns = parse_number<std::int64_t>(launch);
    result.launch_ns = launch_ns.value_or(0);
    if (!launch_ns) result.warnings.push_back("FORETASK_LAUNCH_NS=" + launch + " is not a number of ns: it is ignored");
  }
  const std::string tune = get("FORETASK_TUNE");
  result.tunes_region_threads = tune == "region-threads" || tune == "dry,region-threads";
  result.tunes_dry = tune == "dry" || tune == "dry,region-threads";
  if (!tune.empty() && !result.tunes_dry && !result.tunes_region_threads)
    result.warnings.push_back("FORETASK_TUNE=" + tune + " is not dry or region-threads: it is ignored");
  result.tune_json = get("FORETASK_TUNE_JSON");
  warn_of_unknown(result);
  return result;
}

ModeChoice read_mode() {
  if (getauxval(AT_SECURE) != 0) return {.is_off = true, .has_progress = false, .warning = {}};
  Environment environment;
  read_mode(environment);
  const std::string warning = environment.warnings.empty() ? std::string() : environment.warnings.front();
  const bool is_off = get("FORETASK") == "off" || !warning.empty();
  const std::string progress = get("FORETASK_PROGRESS");
  return {environment.mode, is_off, !is_off && !progress.empty() && progress != "0", warning};
}

void restore_environment(std::string_view prefix) {
  const std::string changed = get("FORETASK_LAUNCHER_VARS");
  std::vector<std::string> removed;
  if (prefix.empty()) removed.emplace_back("FORETASK_LAUNCHER_VARS");
  std::string_view text(changed);
  while (!text.empty()) {
    const std::string line(take_part(text, '\n'));
    const std::size_t equals = line.find('=');
    if (line.empty() || equals == 0 || line.compare(0, prefix.size(), prefix) != 0) continue;
    if (equals == std::string::npos) {
      removed.push_back(line);
    } else {
      setenv(line.substr(0, equals).c_str(), line.substr(equals + 1).c_str(), 1);
    }
  }
  remove_variables(removed);
}

bool is_said_of_this_process(std::string_view text) noexcept { return take_own_process(text); }

std::optional<std::string_view> said_of_this_program(std::string_view text) noexcept {
  std::size_t length = 0;
  if (!take_own_process(text)) return std::nullopt;
  if (!take_number(text, ':', length) || length > text.size()) return std::nullopt;
  // As it was given to execve(), of a script as well.
  const auto* const path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  if (path == nullptr || text.substr(0, length) != path) return std::nullopt;
  text.remove_prefix(length);
  return text;
}

}  // namespace foretask::base
