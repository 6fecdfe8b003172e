// SPDX-License-Identifier: Apache-2.0
#include "analysis/kernel_names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "base/module_offset.hpp"
#include "base/region_name.hpp"

namespace foretask::wiring {
namespace {

symbols::SymbolResolver resolver_of(const trace::RunFile& run) {
  std::vector<symbols::CodeModule> modules;
  for (const trace::Module& module : run.modules)
    modules.push_back({module.path, module.base, module.begin, module.end, module.build_id});
  return symbols::SymbolResolver(std::move(modules));
}

base::KernelKind named_kind(graph::KernelSite::Kind kind) {
  switch (kind) {
    case graph::KernelSite::Kind::kRegion:
      return base::KernelKind::kRegion;
    case graph::KernelSite::Kind::kLoop:
      return base::KernelKind::kLoop;
    case graph::KernelSite::Kind::kSections:
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
  using Kind = graph::KernelSite::Kind;
  if (kernel.kind == Kind::kSerial || kernel.kind == Kind::kUnknown) return std::nullopt;
  if (kernel.kind != Kind::kNamed) return kernel.code;
  const trace::KernelDefinition* const definition = trace.kernel(kernel.code);
  if (!definition) return std::nullopt;
  const std::vector<std::uint64_t> codes = codes_of(*definition, trace.run.modules);
  return codes.empty() ? std::nullopt : std::optional(codes.front());
}

std::vector<std::string> kernel_names(const std::vector<graph::KernelSite>& kernels, const trace::TraceFolder& trace,
                                      symbols::SymbolResolver& resolver) {
  std::vector<std::string> names;
  std::map<std::string, int> seen;
  for (const graph::KernelSite& kernel : kernels) {
    std::string name;
    if (const auto code = code_of(kernel, trace)) {
      name = resolver.name(*code, kernel.kind == graph::KernelSite::Kind::kLoop);
    } else if (kernel.kind == graph::KernelSite::Kind::kSerial) {
      name = "(serial part)";
    } else if (kernel.kind == graph::KernelSite::Kind::kUnknown) {
      name = "(unknown)";
    } else {
      const trace::KernelDefinition* const definition = trace.kernel(kernel.code);
      name = definition ? definition->name : "(kernel " + std::to_string(kernel.code) + ")";
    }
    name = base::kernel_name(name, named_kind(kernel.kind));
    // Two sites on one line of one function stay two kernels.
    if (const int copies = seen[name]++; copies != 0) name += " #" + std::to_string(copies + 1);
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> kernel_files(const std::vector<graph::KernelSite>& kernels, const trace::TraceFolder& trace,
                                      symbols::SymbolResolver& resolver) {
  std::vector<std::string> files;
  for (const graph::KernelSite& kernel : kernels) {
    const auto code = code_of(kernel, trace);
    files.push_back(code ? resolver.file(*code, kernel.kind == graph::KernelSite::Kind::kLoop) : "");
  }
  return files;
}

}  // namespace

CodeNames code_names(const graph::RecordedGraph& graph, const trace::TraceFolder& trace,
                     std::vector<std::string>& warnings) {
  symbols::SymbolResolver resolver = resolver_of(trace.run);
  CodeNames names{kernel_names(graph.kernels, trace, resolver), kernel_files(graph.kernels, trace, resolver),
                  function_times(graph, resolver)};
  warnings.insert(warnings.end(), resolver.warnings().begin(), resolver.warnings().end());
  return names;
}

std::vector<std::pair<std::uint64_t, std::uint32_t>> named_codes(const trace::TraceFolder& trace) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> named;
  for (const trace::KernelDefinition& kernel : trace.kernels)
    if (!kernel.parameters.empty())
      for (const std::uint64_t code : codes_of(kernel, trace.run.modules)) named.emplace_back(code, kernel.id);
  return named;
}

std::vector<std::string> kernel_codes(const std::vector<graph::KernelSite>& kernels, const trace::TraceFolder& trace) {
  const auto place_of = [&trace](std::uint64_t code) {
    for (const trace::Module& module : trace.run.modules)
      if (code >= module.begin && code < module.end) return base::module_offset_text(module.path, code - module.base);
    return base::module_offset_text("code", code);
  };
  std::vector<std::string> codes;
  for (const graph::KernelSite& kernel : kernels) {
    switch (kernel.kind) {
      case graph::KernelSite::Kind::kTask:
      case graph::KernelSite::Kind::kRegion:
      case graph::KernelSite::Kind::kLoop:
      case graph::KernelSite::Kind::kSections:
        codes.push_back(base::kernel_name(place_of(kernel.code), named_kind(kernel.kind)));
        break;
      case graph::KernelSite::Kind::kNamed: {
        const trace::KernelDefinition* const definition = trace.kernel(kernel.code);
        codes.push_back(definition ? definition->name : std::string());
        break;
      }
      default:
        codes.emplace_back();
    }
  }
  return codes;
}

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
    std::stable_sort(times[kernel].begin(), times[kernel].end(),
                     [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  }
  return times;
}

}  // namespace foretask::wiring
