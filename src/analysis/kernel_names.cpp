// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_names.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "base/module_offset.hpp"
#include "base/region_name.hpp"

namespace foretask::wiring {
namespace {

using Kind = graph::KernelSite::Kind;

base::KernelKind named_kind(Kind kind) {
  switch (kind) {
    case Kind::kRegion:
      return base::KernelKind::kRegion;
    case Kind::kLoop:
      return base::KernelKind::kLoop;
    case Kind::kSections:
      return base::KernelKind::kSections;
    default:
      return base::KernelKind::kTasks;
  }
}

// Addresses of the code that a kernel is called after, as the store does; none where its name is the program's.
std::vector<std::uint64_t> codes_of(const trace::KernelDefinition& kernel, const std::vector<trace::Module>& modules) {
  std::vector<std::uint64_t> codes;
  const auto place = base::parse_module_offset(kernel.name);
  if (!place) return codes;
  for (const trace::Module& module : modules)
    if (base::module_offset_text(module.path, place->offset) == kernel.name)
      codes.push_back(module.base + place->offset);
  return codes;
}

// The address of a kernel's code; nothing where it has none.
std::optional<std::uint64_t> code_of(const graph::KernelSite& kernel, const trace::TraceFolder& trace) {
  if (kernel.kind == Kind::kSerial || kernel.kind == Kind::kUnknown) return std::nullopt;
  if (kernel.kind != Kind::kNamed) return kernel.code;
  const trace::KernelDefinition* const definition = trace.kernel(kernel.code);
  if (!definition) return std::nullopt;
  const std::vector<std::uint64_t> codes = codes_of(*definition, trace.run.modules);
  return codes.empty() ? std::nullopt : std::optional(codes.front());
}

// The name before its kind is added: the function at its code, else what the program or the report calls it.
std::string place_name(const graph::KernelSite& kernel, std::optional<std::uint64_t> code,
                       const trace::TraceFolder& trace, symbols::SymbolResolver& resolver) {
  if (code) return resolver.name(*code, kernel.kind == Kind::kLoop);
  if (kernel.kind == Kind::kSerial) return "(serial part)";
  if (kernel.kind == Kind::kUnknown) return "(unknown)";
  return trace.kernel_name(kernel.code);
}

// What a running process calls it.
std::string process_name(const graph::KernelSite& kernel, const trace::TraceFolder& trace) {
  if (kernel.kind == Kind::kSerial || kernel.kind == Kind::kUnknown) return {};
  if (kernel.kind == Kind::kNamed) return trace.kernel(kernel.code) ? trace.kernel_name(kernel.code) : "";
  const auto& modules = trace.run.modules;
  const auto module = std::find_if(modules.begin(), modules.end(), [&kernel](const trace::Module& one) {
    return kernel.code >= one.begin && kernel.code < one.end;
  });
  return base::kernel_name(module == modules.end() ? base::module_offset_text("code", kernel.code)
                                                   : base::module_offset_text(module->path, kernel.code - module->base),
                           named_kind(kernel.kind));
}

// By kernel, each most time first; without the recorder's own code.
std::vector<std::vector<analysis::FunctionTime>> function_times(const graph::RecordedGraph& graph,
                                                                symbols::SymbolResolver& resolver) {
  std::vector<std::map<std::string, analysis::FunctionTime>> by_name(graph.kernels.size());
  for (const graph::CodeTime& code : graph.code_times) {
    if (resolver.is_recorder(code.address)) continue;
    analysis::FunctionTime& function = by_name[code.kernel][resolver.function(code.address)];
    function.samples += code.samples;
    function.time_ns += code.time_ns;
  }
  std::vector<std::vector<analysis::FunctionTime>> times(by_name.size());
  for (std::size_t kernel = 0; kernel < by_name.size(); ++kernel) {
    for (auto& [name, function] : by_name[kernel]) times[kernel].push_back({name, function.samples, function.time_ns});
    std::ranges::stable_sort(times[kernel], std::greater(), &analysis::FunctionTime::time_ns);
  }
  return times;
}

}  // namespace

CodeNames code_names(const graph::RecordedGraph& graph, const trace::TraceFolder& trace,
                     std::vector<std::string>& warnings) {
  symbols::SymbolResolver resolver(trace.run.modules);
  CodeNames names;
  std::map<std::string, int> seen;
  for (const graph::KernelSite& kernel : graph.kernels) {
    const auto code = code_of(kernel, trace);
    std::string name = base::kernel_name(place_name(kernel, code, trace, resolver), named_kind(kernel.kind));
    // Two sites on one line of one function stay two kernels.
    if (const int copies = seen[name]++; copies != 0) name += " #" + std::to_string(copies + 1);
    names.kernels.push_back(std::move(name));
    names.files.push_back(code ? resolver.file(*code, kernel.kind == Kind::kLoop) : "");
    names.codes.push_back(process_name(kernel, trace));
  }
  names.functions = function_times(graph, resolver);
  names.asks_in_parallel = resolver.calls_elsewhere("omp_in_parallel") || resolver.calls_elsewhere("omp_in_parallel_");
  warnings.insert(warnings.end(), resolver.warnings().begin(), resolver.warnings().end());
  return names;
}

std::vector<std::string> parameters_of(const graph::KernelSite& kernel, const trace::TraceFolder& trace) {
  return kernel.kind == Kind::kNamed ? trace.parameters_of(kernel.code) : std::vector<std::string>();
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> named_codes(const trace::TraceFolder& trace) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> named;
  for (const trace::KernelDefinition& kernel : trace.kernels)
    if (!kernel.parameters.empty())
      for (const std::uint64_t code : codes_of(kernel, trace.run.modules)) named.emplace_back(code, kernel.id);
  return named;
}

}  // namespace foretask::wiring
