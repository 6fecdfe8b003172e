# SPDX-License-Identifier: Apache-2.0
# How the folders below src/ become libraries.

# Layers whose public C++ functions (namespace foretask::analysis) leave the shared library. The recording layers are
# called on hot paths inside applications and keep hidden symbols: their only face is the C ABI.
set(FORETASK_ANALYSIS_LAYERS trace graph model_fit program distribution simulate symbols report analysis)
# What is loaded into applications.
set(FORETASK_RECORDING_LAYERS base statistics run_file trace_writer model predict runtime)

# foretask_layer(NAME SOURCES ... LIBRARIES ...): the object library foretask_NAME of one folder below src/. Includes
# are written "NAME/file.hpp" for the layers and "foretask/..." for the public headers.
function(foretask_layer name)
  cmake_parse_arguments(LAYER "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_library(foretask_${name} OBJECT ${LAYER_SOURCES})
  target_include_directories(foretask_${name} PUBLIC "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(foretask_${name} PUBLIC foretask_flags ${LAYER_LIBRARIES})
  # Where it optimises, GCC 12 takes "text" + std::string for copies of more than there is memory, too (bug 105329).
  target_compile_options(foretask_${name} PRIVATE
    "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-stringop-overflow;-Wno-array-bounds>")
  # A third of what a sanitizer's build takes. The release is built without, which shows what a file forgot to include.
  if(FORETASK_SANITIZE)
    target_precompile_headers(foretask_${name} PRIVATE <algorithm> <array> <atomic> <charconv> <cmath> <cstdint>
      <functional> <limits> <map> <memory> <optional> <set> <span> <string> <string_view> <unordered_map>
      <utility> <vector>)
    # What writes text, and reads options, runs once.
    if(name MATCHES "^(report|analysis|cli)$")
      target_compile_options(foretask_${name} PRIVATE -O0)
    endif()
  endif()
  if(name IN_LIST FORETASK_ANALYSIS_LAYERS)
    # Visible to the linker, whose version script then lets only the public names out of the library.
    set_target_properties(foretask_${name} PROPERTIES CXX_VISIBILITY_PRESET default)
    target_compile_options(foretask_${name} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()

# foretask_link_layers(TARGET LAYER...): the objects of the layers, and what they need, go into TARGET.
function(foretask_link_layers target)
  foreach(layer ${ARGN})
    if(TARGET foretask_${layer})
      target_link_libraries(${target} PRIVATE foretask_${layer})
    endif()
  endforeach()
endfunction()
