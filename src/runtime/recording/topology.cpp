// SPDX-License-Identifier: Apache-2.0
#include "runtime/recording/topology.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/cores.hpp"
#include "base/fingerprint.hpp"

// What hwloc's archive calls in the place of the C library's (cmake/ForetaskDependencies.cmake).
extern "C" {
// No plugins: hwloc would load what is there for devices into the program, OpenCL's loader among it. That takes 2 ms,
// and calls the program's operator new. And no word of its own on the program's standard error.
char* foretask_hwloc_getenv(const char* name) {
  static char nowhere[] = "/dev/null";
  static char all_errors[] = "2";
  if (std::strcmp(name, "HWLOC_PLUGINS_PATH") == 0) return nowhere;
  char* const value = std::getenv(name);
  return value || std::strcmp(name, "HWLOC_HIDE_ERRORS") != 0 ? value : all_errors;
}
char* foretask_hwloc_program_invocation_name = const_cast<char*>("");
FILE* foretask_hwloc_stderr = stderr;
FILE* foretask_hwloc_stdout = stdout;
// No libudev either, which tells of devices alone.
void* udev_new() { return nullptr; }
void* udev_unref(void*) { return nullptr; }
void* udev_device_new_from_subsystem_sysname(void*, const char*, const char*) { return nullptr; }
const char* udev_device_get_property_value(void*, const char*) { return nullptr; }
void* udev_device_unref(void*) { return nullptr; }
}

namespace foretask::runtime {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::uint32_t ancestor_index(hwloc_topology_t topology, hwloc_obj_t object, hwloc_obj_type_t type) {
  hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, object);
  return found ? found->logical_index : 0;
}

std::uint32_t numa_index(hwloc_topology_t topology, hwloc_obj_t object) {
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr)
    if (hwloc_bitmap_isset(node->cpuset, object->os_index)) return node->logical_index;
  return 0;
}

std::uint32_t last_level_cache(hwloc_obj_t object) {
  std::uint32_t index = 0;
  for (hwloc_obj_t at = object->parent; at; at = at->parent)
    if (hwloc_obj_type_is_dcache(at->type)) index = at->logical_index;
  return index;
}

void read_places(hwloc_topology_t topology, trace::Machine& machine) {
  machine.places.clear();
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
    machine.places.push_back({.processor = unit->os_index,
                              .core = ancestor_index(topology, unit, HWLOC_OBJ_CORE),
                              .last_level_cache = last_level_cache(unit),
                              .numa_node = numa_index(topology, unit),
                              .package = ancestor_index(topology, unit, HWLOC_OBJ_PACKAGE)});
  }
}

std::string cache_text(hwloc_topology_t topology) {
  std::string text;
  hwloc_obj_t unit = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0);
  for (hwloc_obj_t at = unit ? unit->parent : nullptr; at; at = at->parent)
    if (hwloc_obj_type_is_dcache(at->type)) text += std::to_string(at->attr->cache.size) + ",";
  return text;
}

std::string processor_model(hwloc_topology_t topology) {
  const auto info = [topology](const char* name) -> std::string {
    for (hwloc_obj_t object : {hwloc_get_root_obj(topology), hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0)})
      if (const char* const text = object ? hwloc_obj_get_info_by_name(object, name) : nullptr) return text;
    return {};
  };
  std::string model = info("CPUModel");
  // Linux names AArch64's processors by numbers.
  if (const std::string maker = info("CPUImplementer"); model.empty() && !maker.empty())
    model = "implementer " + maker + ", part " + info("CPUPart") + ", variant " + info("CPUVariant");
  return model;
}

// The sizes of the first processor's caches; empty where nothing is known of them.
std::string read_topology(trace::Machine& machine, bool asks_processors) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {};
  // Devices take long to find and are of no use here.
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_NONE);
  if (!asks_processors) hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
  std::string caches;
  if (hwloc_topology_load(topology) == 0) {
    hwloc_obj_t root = hwloc_get_root_obj(topology);
    machine.processor_model = processor_model(topology);
    machine.cores = static_cast<std::uint32_t>(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
    machine.processors = static_cast<std::uint32_t>(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
    machine.memory_bytes = root->total_memory;
    read_places(topology, machine);
    caches = cache_text(topology);
  }
  hwloc_topology_destroy(topology);
  return caches;
}

}  // namespace

trace::Machine read_machine() {
  trace::Machine machine;
  machine.host = host_name();
  machine.processors = static_cast<std::uint32_t>(sysconf(_SC_NPROCESSORS_ONLN));
  machine.processors_usable = base::allowed_cores();
  if (machine.processors_usable == 0) machine.processors_usable = machine.processors;
  // hwloc's x86 component waits on each processor in turn. Where Linux tells of the caches it has nothing to add.
  std::string caches = read_topology(machine, false);
  if (caches.empty()) caches = read_topology(machine, true);
  // Not of the memory: a virtual machine's comes and goes.
  machine.fingerprint = base::fingerprint(machine.processor_model + "|" + std::to_string(machine.cores) + "|" +
                                          std::to_string(machine.processors) + "|" + caches);
  return machine;
}

}  // namespace foretask::runtime
