// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "starpu_reference.hpp"

namespace foretask::benchmarks {

std::unique_ptr<StarpuReference> StarpuReference::start() {
  std::fprintf(stderr, "built without StarPU (Debian: libstarpu-dev): not measured\n");
  return nullptr;
}

std::string StarpuReference::version() { return "no StarPU"; }

}  // namespace foretask::benchmarks
