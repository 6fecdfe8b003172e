// SPDX-License-Identifier: Apache-2.0
// The C ABI of foretask.h: kernels, worker classes, the learner and its store. No exception leaves it.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/held_signals.hpp"
#include "base/messages.hpp"
#include "base/own_process.hpp"
#include "base/run_aside.hpp"
#include "foretask/foretask.h"
#include "model/online/linear_model.hpp"
#include "runtime/kernels/kernel_registry.hpp"
#include "runtime/learning/code_version.hpp"
#include "runtime/learning/learning.hpp"
#include "runtime/learning/sample_thread.hpp"
#include "runtime/recording/activity.hpp"
#include "runtime/recording/annotations.hpp"

namespace {

using foretask::runtime::KernelRegistry;
using foretask::runtime::Learning;

// `call`, aside and without an exception.
template <typename Call>
foretask_status call_safely(Call&& call) noexcept {
  foretask_status status = FORETASK_NO_MEMORY;
  foretask::base::try_aside([&] { status = call(); });
  return status;
}

// `caller`: an address in the code that defines the kernel. Null where it is not defined.
foretask_status define(const foretask_kernel_options& options, const void* caller, foretask_kernel*& kernel) {
  namespace model = foretask::model;
  if (options.parameter_count > FORETASK_MAX_PARAMETERS) return FORETASK_WRONG_COUNT;
  if (!options.name || (options.parameter_count > 0 && !options.parameters)) return FORETASK_BAD_ARGUMENT;
  KernelRegistry::Definition definition{.name = options.name};
  for (std::size_t i = 0; i < options.parameter_count; ++i) {
    if (!options.parameters[i]) return FORETASK_BAD_ARGUMENT;
    definition.parameters.emplace_back(options.parameters[i]);
  }
  if (options.terms) {
    auto terms = model::parse_terms(options.terms);
    if (!terms || !model::LinearForm::compile(*terms, definition.parameters)) return FORETASK_BAD_ARGUMENT;
    definition.terms = std::move(*terms);
  }
  KernelRegistry& registry = KernelRegistry::instance();
  const std::uint32_t activity = foretask::runtime::activity_now();
  Learning& learning = Learning::instance();
  definition.keeps_version = options.code_version != nullptr;
  definition.code_version = options.code_version ? options.code_version : foretask::runtime::code_version_of(caller);
  if (foretask_kernel* const there = registry.find(definition.name);
      there && there->learned.shape().parameters == definition.parameters) {
    if (!there->keeps_version && !definition.keeps_version) learning.adopt_version(*there, definition.code_version);
    kernel = there;
    return FORETASK_OK;
  }
  if (definition.terms.empty() && foretask::runtime::is_name(definition.name))
    definition.terms = learning.stored_terms(options.name, definition.parameters);
  const auto defined = registry.define(std::move(definition));
  if (defined.is_new) {
    const auto& parameters = defined.kernel->learned.shape().parameters;
    foretask::runtime::record_kernel_definition(defined.kernel->id, defined.kernel->name, parameters);
  }
  if (defined.is_new && activity != 0) learning.load(*defined.kernel);
  kernel = defined.kernel;
  return defined.status;
}

foretask_kernel* define_safely(const foretask_kernel_options& options, const void* caller, foretask_status& status) {
  static_cast<void>(foretask::runtime::activity_now());  // what it starts has threads, which are not started aside
  foretask_kernel* kernel = nullptr;
  status = call_safely([&] { return define(options, caller, kernel); });
  return kernel;
}

}  // namespace

extern "C" {

const char* foretask_status_text(foretask_status status) {
  static constexpr std::array kTexts{"ok",           "off",       "no kernel",  "wrong number of parameters",
                                     "not finite",   "dropped",   "not a name", "there twice",
                                     "bad argument", "no memory", "not saved",  "timed out"};
  static_assert(kTexts.size() == FORETASK_TIMED_OUT + 1);
  const auto number = static_cast<std::size_t>(status);
  return number < kTexts.size() ? kTexts[number] : "unknown";
}

foretask_kernel* foretask_kernel_define(const char* name, const char* const* parameters, size_t count) {
  foretask_kernel_options options{};
  options.size = sizeof options;
  options.name = name;
  options.parameters = parameters;
  options.parameter_count = count;
  foretask_status status = FORETASK_OK;
  foretask_kernel* const kernel = define_safely(options, __builtin_return_address(0), status);
  if (!kernel)
    static_cast<void>(call_safely([&] {
      const std::string shown = std::string(name ? name : "").substr(0, 64);
      foretask::base::warn("kernel '" + shown + "' is not defined: " + foretask_status_text(status));
      return FORETASK_OK;
    }));
  return kernel;
}

foretask_kernel* foretask_kernel_define_with(const foretask_kernel_options* options, foretask_status* status) {
  foretask_status outcome = FORETASK_BAD_ARGUMENT;
  foretask_kernel* kernel = nullptr;
  if (options && options->size >= sizeof(foretask_kernel_options))
    kernel = define_safely(*options, __builtin_return_address(0), outcome);
  if (status) *status = outcome;
  return kernel;
}

foretask_kernel* foretask_kernel_find(const char* name) {
  const foretask::base::HeldSignals held;
  return name ? KernelRegistry::instance().find(name) : nullptr;
}

const char* foretask_kernel_name(const foretask_kernel* kernel) { return kernel ? kernel->name.c_str() : nullptr; }

size_t foretask_kernel_parameter_count(const foretask_kernel* kernel) {
  return kernel ? foretask::runtime::kernel_parameter_count(kernel) : 0;
}

const char* foretask_kernel_parameter_name(const foretask_kernel* kernel, size_t index) {
  if (!kernel || index >= foretask::runtime::kernel_parameter_count(kernel)) return nullptr;
  return kernel->learned.shape().parameters[index].c_str();
}

int foretask_worker_class(const char* name) {
  if (!name || !foretask::runtime::is_name(name)) return -1;
  const bool knows_models = (foretask::runtime::activity_now() & foretask::runtime::kKnowsModels) != 0;
  int number = -1;
  static_cast<void>(call_safely([&] {
    bool is_new = false;
    number = Learning::instance().worker_class(name, is_new);
    // What the store knows of it.
    return is_new && knows_models ? Learning::instance().load_all() : FORETASK_OK;
  }));
  return number;
}

foretask_status foretask_set_worker_class(int worker_class) {
  if (!Learning::instance().is_worker_class(worker_class)) return FORETASK_BAD_ARGUMENT;
  foretask::runtime::sample_thread.worker_class = static_cast<std::uint32_t>(worker_class);
  return FORETASK_OK;
}

foretask_status foretask_learning_start(void) {
  static_cast<void>(foretask::runtime::activity_now());
  return Learning::instance().start();
}

int foretask_is_learning(void) {
  return (foretask::runtime::activity_now() & foretask::runtime::kLearning) != 0 ? 1 : 0;
}

foretask_status foretask_flush(uint32_t timeout_ms) {
  if (!foretask_is_learning() || !foretask::base::is_own_process()) return FORETASK_OFF;
  try {
    auto& learner = Learning::instance().learner();
    if (!learner.start()) return FORETASK_NO_MEMORY;
    return learner.flush(timeout_ms) ? FORETASK_OK : FORETASK_TIMED_OUT;
  } catch (const std::exception&) {
    return FORETASK_NO_MEMORY;
  }
}

foretask_status foretask_save(void) {
  const foretask_status flushed = foretask_flush(10'000);
  if (flushed != FORETASK_OK) return flushed;
  return call_safely([] { return Learning::instance().save(); });
}

foretask_status foretask_load(void) {
  if (!foretask_is_learning()) return FORETASK_OFF;
  return call_safely([] { return Learning::instance().load_all(); });
}

foretask_status foretask_learning_statistics(foretask_learning_stats* stats) {
  if (!stats || stats->size < sizeof(foretask_learning_stats)) return FORETASK_BAD_ARGUMENT;
  return call_safely([stats] {
    Learning& learning = Learning::instance();
    const auto learner = learning.learner().statistics();
    stats->kernels = static_cast<uint32_t>(KernelRegistry::instance().all().size());
    stats->learned = learner.learned;
    stats->dropped = learner.dropped + learning.dropped();
    stats->rejected = learning.rejected();
    return FORETASK_OK;
  });
}

}  // extern "C"
