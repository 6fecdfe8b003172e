// SPDX-License-Identifier: Apache-2.0
#include "codelet_kernel.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kit/code.hpp"
#include "task_body.hpp"

namespace foretask::starpu {
namespace {

// A program may make another codelet where an earlier one was.
struct CodeletKey {
  const starpu_codelet* codelet = nullptr;
  const char* name = nullptr;
  const starpu_perfmodel* model = nullptr;
  Body body = nullptr;
  friend bool operator==(const CodeletKey&, const CodeletKey&) = default;
};

struct CodeletHash {
  std::size_t operator()(const CodeletKey& key) const noexcept {
    std::size_t hash = 0;
    for (const void* part : {static_cast<const void*>(key.codelet), static_cast<const void*>(key.name),
                             static_cast<const void*>(key.model), reinterpret_cast<const void*>(key.body)})
      hash = hash * 31 + std::hash<const void*>()(part);
    return hash;
  }
};

// Never destroyed: workers may run tasks until the process is gone.
struct KnownCodelets {
  std::shared_mutex mutex;
  std::unordered_map<CodeletKey, std::unique_ptr<CodeletKernel>, CodeletHash> kernels;
};

KnownCodelets& known_codelets() {
  static auto* const known = new KnownCodelets;
  return *known;
}

Body first_body(const starpu_codelet& codelet) {
  for (const Body body : {codelet.cpu_funcs[0], codelet.cuda_funcs[0], codelet.opencl_funcs[0]})
    if (body) return original_body(body);
  return nullptr;
}

bool has_implementation(const starpu_codelet& codelet, std::size_t number) {
  return codelet.cpu_funcs[number] || codelet.cuda_funcs[number] || codelet.opencl_funcs[number];
}

bool has_text(const char* text) { return text != nullptr && *text != '\0'; }

// As StarPU calls it, else the function's symbol.
std::string name_of(const starpu_codelet& codelet) {
  if (has_text(codelet.name)) return codelet.name;
  if (codelet.model && has_text(codelet.model->symbol)) return codelet.model->symbol;
  Dl_info info{};
  const Body body = first_body(codelet);
  if (body && ::dladdr(reinterpret_cast<const void*>(body), &info) != 0 && has_text(info.dli_sname))
    return info.dli_sname;
  return {};
}

bool has_own_parameters(const starpu_perfmodel* model) {
  return model && model->type == STARPU_MULTIPLE_REGRESSION_BASED && model->parameters && model->nparameters > 0 &&
         model->nparameters <= FORETASK_MAX_PARAMETERS;
}

// Models of other types may have a size_base that StarPU never calls.
bool has_size(const starpu_perfmodel* model) {
  return model && model->size_base &&
         (model->type == STARPU_HISTORY_BASED || model->type == STARPU_REGRESSION_BASED ||
          model->type == STARPU_NL_REGRESSION_BASED);
}

std::vector<std::string> parameter_names(const starpu_perfmodel* model) {
  if (!has_own_parameters(model)) return {has_size(model) ? "size" : "bytes"};
  std::vector<std::string> names;
  for (unsigned i = 0; i < model->nparameters; ++i) {
    const char* const name = model->parameters_names ? model->parameters_names[i] : nullptr;
    names.push_back(has_text(name) ? name : "p" + std::to_string(i));
  }
  return names;
}

foretask_kernel* define(const std::string& name, const starpu_perfmodel* model) {
  const std::vector<std::string> names = parameter_names(model);
  std::vector<const char*> texts;
  for (const std::string& one : names) texts.push_back(one.c_str());
  foretask_kernel_options options{};
  options.size = sizeof options;
  options.name = name.c_str();
  options.parameters = texts.data();
  options.parameter_count = texts.size();
  foretask_status status = FORETASK_OK;
  return foretask_kernel_define_with(&options, &status);
}

}  // namespace

CodeletKernel::CodeletKernel(const starpu_codelet& codelet) {
  const std::string name = name_of(codelet);
  if (name.empty()) return;
  for (std::size_t i = 0; i < kernels_.size(); ++i)
    if (has_implementation(codelet, i))
      kernels_[i] = define(i == 0 ? name : name + "/" + std::to_string(i), codelet.model);
}

CodeletKernel& kernel_of(const starpu_codelet& codelet) {
  const CodeletKey key{&codelet, codelet.name, codelet.model, first_body(codelet)};
  static thread_local CodeletKey last_key;
  static thread_local CodeletKernel* last = nullptr;
  if (last && last_key == key) return *last;
  KnownCodelets& known = known_codelets();
  CodeletKernel* found = nullptr;
  {
    const std::shared_lock lock(known.mutex);
    if (const auto at = known.kernels.find(key); at != known.kernels.end()) found = at->second.get();
  }
  if (!found) {
    const std::unique_lock lock(known.mutex);
    std::unique_ptr<CodeletKernel>& kernel = known.kernels[key];
    if (!kernel) kernel = std::make_unique<CodeletKernel>(codelet);
    found = kernel.get();
  }
  last_key = key;
  last = found;
  return *found;
}

const void* code_of(const starpu_codelet& codelet) {
  const Body body = first_body(codelet);
  return body ? kit::code_of(body) : nullptr;
}

Parameters parameters_of(starpu_task& task, unsigned implementation) {
  starpu_perfmodel* const model = task.cl->model;
  Parameters parameters;
  if (has_own_parameters(model)) {
    parameters.count = model->nparameters;
    model->parameters(&task, parameters.values.data());
    return parameters;
  }
  parameters.count = 1;
  double& size = parameters.values[0];
  if (has_size(model)) {
    size = static_cast<double>(model->size_base(&task, implementation));
    return parameters;
  }
  const unsigned buffers = STARPU_TASK_GET_NBUFFERS(&task);
  for (unsigned i = 0; i < buffers; ++i)
    size += static_cast<double>(starpu_data_get_size(STARPU_TASK_GET_HANDLE(&task, i)));
  return parameters;
}

}  // namespace foretask::starpu
