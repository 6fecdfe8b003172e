// SPDX-License-Identifier: Apache-2.0
#include "learner.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "recorded_thread.hpp"

namespace foretask::starpu {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr double kNsPerUs = 1000;
// A worker's first tasks of a kernel are often long: caches, libraries that start.
constexpr std::uint32_t kEnoughSamples = 5;

const char* type_name(int type) {
  switch (type) {
    case STARPU_CPU_WORKER:
      return "cpu";
    case STARPU_CUDA_WORKER:
      return "cuda";
    case STARPU_OPENCL_WORKER:
      return "opencl";
    default:
      return nullptr;
  }
}

// foretask's number of the class of the devices that StarPU's models hold for one kind: "cpu", "cuda", "cuda1". -1 for
// workers combined of several, and where there are too many classes.
int class_of(const starpu_perfmodel_arch& arch) {
  if (arch.ndevices != 1 || arch.devices[0].ncores != 1) return -1;
  constexpr std::size_t kTypes = STARPU_OPENCL_WORKER + 1;
  constexpr std::size_t kDevices = 64;
  constexpr int kUnknown = -2;
  static std::array<std::array<std::atomic<int>, kDevices>, kTypes> known{};
  const auto type = static_cast<std::size_t>(arch.devices[0].type);
  const auto device = static_cast<std::size_t>(arch.devices[0].devid);
  if (type >= kTypes || device >= kDevices) return -1;
  // One more than the class, and 0 for what is not known yet.
  std::atomic<int>& cell = known[type][device];
  const int cached = cell.load(std::memory_order_relaxed) - 1;
  if (cached != -1) return cached == kUnknown ? -1 : cached;
  const char* const name = type_name(static_cast<int>(type));
  const int found =
      name ? foretask_worker_class((std::string(name) + (device == 0 ? "" : std::to_string(device))).c_str()) : -1;
  cell.store((found < 0 ? kUnknown : found) + 1, std::memory_order_relaxed);
  return found;
}

// The calling worker's.
int own_class() {
  static thread_local int own = -2;
  if (own != -2) return own;
  const int worker = starpu_worker_get_id();
  const starpu_perfmodel_arch* const arch =
      worker < 0 ? nullptr : starpu_worker_get_perf_archtype(worker, STARPU_NMAX_SCHED_CTXS);
  own = arch ? class_of(*arch) : -1;
  if (own >= 0) static_cast<void>(foretask_set_worker_class(own));
  return own;
}

// Its function only starts it.
bool is_asynchronous(const starpu_codelet& codelet, unsigned implementation) {
  switch (starpu_worker_get_type(starpu_worker_get_id())) {
    case STARPU_CUDA_WORKER:
      return (codelet.cuda_flags[implementation] & STARPU_CUDA_ASYNC) != 0;
    case STARPU_OPENCL_WORKER:
      return (codelet.opencl_flags[implementation] & STARPU_OPENCL_ASYNC) != 0;
    default:
      return false;
  }
}

std::uint64_t size_of(const Parameters& parameters) {
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < parameters.count; ++i)
    size = size * 0x9e3779b97f4a7c15 + std::bit_cast<std::uint64_t>(parameters.values[i]);
  return size;
}

double now_ns() { return static_cast<double>(foretask_monotonic_ns()); }

}  // namespace

FollowedBody::FollowedBody(starpu_task& task) {
  if (!follows()) return;
  const unsigned implementation = starpu_task_get_implementation(&task);
  CodeletKernel& codelet = kernel_of(*task.cl);
  foretask_kernel* const kernel = codelet.kernel(implementation);
  worker_class_ = own_class();
  if (worker_class_ < 0 || starpu_combined_worker_get_size() > 1 || is_asynchronous(*task.cl, implementation)) return;
  if (kernel) parameters_ = parameters_of(task, implementation);
  // Without a model it is named after its code. foretask answers no scheduler about it.
  followed_ = kernel ? foretask_hook_task_create_of(kernel, parameters_.values.data(), parameters_.count)
                     : foretask_hook_task_create(code_of(*task.cl));
  if (kernel && learns()) unused_ = &codelet.unused(implementation);
  is_followed_ = true;
  begin_ns_ = now_ns();
  foretask_hook_task_switch(followed_);
}

FollowedBody::~FollowedBody() {
  if (!is_followed_) return;
  foretask_hook_task_end(followed_, nullptr);
  if (unused_) unused_->add(size_of(parameters_), worker_class_, now_ns() - begin_ns_);
}

ExpectedLength expected_length(starpu_task& task, const starpu_perfmodel_arch& arch, unsigned implementation) {
  CodeletKernel& codelet = kernel_of(*task.cl);
  foretask_kernel* const kernel = codelet.kernel(implementation);
  const int worker_class = kernel ? class_of(arch) : -1;
  if (worker_class < 0) return {kNone, false};
  const Parameters parameters = parameters_of(task, implementation);
  foretask_prediction prediction = FORETASK_PREDICTION_INIT;
  const foretask_status status =
      foretask_predict_on(kernel, worker_class, parameters.values.data(), parameters.count, &prediction);
  const bool is_known =
      status == FORETASK_OK && prediction.status == FORETASK_READY && prediction.nearby >= kEnoughSamples;
  if (!is_known) return {kNone, false};
  if (codelet.unused(implementation).should_try(size_of(parameters), worker_class, prediction.value_ns))
    return {kNone, true};
  return {prediction.value_ns / kNsPerUs, false};
}

}  // namespace foretask::starpu
