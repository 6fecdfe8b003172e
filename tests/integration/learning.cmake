# SPDX-License-Identifier: Apache-2.0
# Programs that use libforetask themselves, in C and C++: linked with it, but for the one that loads it.
file(GLOB learning_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/programs/learning/*.c"
  "${CMAKE_CURRENT_SOURCE_DIR}/programs/learning/*.cpp")
add_custom_target(learning_programs)
set(learning_programs_dir "${CMAKE_CURRENT_BINARY_DIR}/programs/learning")
foreach(source IN LISTS learning_sources)
  get_filename_component(name "${source}" NAME_WE)
  add_executable(learning_${name} "${source}")
  set_target_properties(learning_${name} PROPERTIES OUTPUT_NAME ${name}
    RUNTIME_OUTPUT_DIRECTORY "${learning_programs_dir}")
  target_include_directories(learning_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(learning_${name} PRIVATE foretask_flags Threads::Threads ${CMAKE_DL_LIBS})
  if(NOT name STREQUAL "unloads")
    target_link_libraries(learning_${name} PRIVATE libforetask)
  endif()
  add_dependencies(learning_programs learning_${name})
endforeach()

# Two libraries of one source that differ in nothing but name and version.
foreach(version IN ITEMS aaaa bbbb)
  add_library(learning_plugin_${version} MODULE "${CMAKE_CURRENT_SOURCE_DIR}/programs/learning/plugin/plugin.c")
  set_target_properties(learning_plugin_${version} PROPERTIES PREFIX "" OUTPUT_NAME plugin_${version}
    LIBRARY_OUTPUT_DIRECTORY "${learning_programs_dir}")
  target_include_directories(learning_plugin_${version} PRIVATE "${PROJECT_SOURCE_DIR}/include")
  target_link_libraries(learning_plugin_${version} PRIVATE foretask_flags libforetask)
  target_link_options(learning_plugin_${version} PRIVATE "LINKER:--build-id=0x${version}")
  add_dependencies(learning_programs learning_plugin_${version})
endforeach()
