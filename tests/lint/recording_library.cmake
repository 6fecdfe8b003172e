# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=nm -DLIBRARY=libforetask.so -P recording_library.cmake: fails where what is loaded into programs holds parts
# that only the analysis uses.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND "${NM}" -C --defined-only "${LIBRARY}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " foretask::runtime::Recording::start[(]")
  message(FATAL_ERROR "${LIBRARY} has no symbols of its own")
endif()
foreach(part CsvReader parse_data_table support_points evaluate_models trace::StreamReader graph:: simulate:: report:: cli::)
  if(symbols MATCHES " foretask::[^\n]*${part}[^\n]*")
    message(SEND_ERROR "${LIBRARY} holds${CMAKE_MATCH_0}")
  endif()
endforeach()
