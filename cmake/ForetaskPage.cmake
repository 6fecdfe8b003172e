# SPDX-License-Identifier: Apache-2.0
# The report page's style and script as a source file. esbuild bundles the script with d3's modules (Debian: esbuild,
# node-d3-axis, node-d3-scale, node-d3-selection, node-d3-zoom); without them the page has none.
find_program(FORETASK_ESBUILD esbuild)
find_path(FORETASK_NODE_MODULES d3-zoom/package.json PATHS /usr/share/nodejs)

# foretask_page_assets(TARGET): adds the source file to TARGET.
function(foretask_page_assets target)
  set(page "${PROJECT_SOURCE_DIR}/src/report/page")
  set(made "${PROJECT_BINARY_DIR}/page")
  set(script "")
  if(FORETASK_ESBUILD AND FORETASK_NODE_MODULES)
    set(script "${made}/page.js")
    file(GLOB parts CONFIGURE_DEPENDS "${page}/script/*.ts")
    add_custom_command(OUTPUT "${script}"
      COMMAND "${CMAKE_COMMAND}" -E env "NODE_PATH=${FORETASK_NODE_MODULES}"
        "${FORETASK_ESBUILD}" "${page}/script/main.ts" --bundle --minify --format=iife --target=es2020
        --charset=utf8 --log-level=warning "--outfile=${script}"
      DEPENDS ${parts} VERBATIM COMMENT "Bundling the page's script")
  else()
    message(STATUS "foretask: no esbuild, or no d3 modules: report --html writes pages without a script")
  endif()
  add_custom_command(OUTPUT "${made}/assets.cpp"
    COMMAND "${CMAKE_COMMAND}" "-DSTYLE=${page}/style.css" "-DSCRIPT=${script}" "-DOUTPUT=${made}/assets.cpp"
      -P "${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake"
    DEPENDS "${page}/style.css" ${script} "${PROJECT_SOURCE_DIR}/cmake/embed_page.cmake" VERBATIM
    COMMENT "Embedding the page's style and script")
  target_sources(${target} PRIVATE "${made}/assets.cpp")
endfunction()
