# SPDX-License-Identifier: Apache-2.0
# For CPack, before it packs: what Debian's policy asks for in each package's share/doc and of man pages, and where its
# zsh looks.
list(REMOVE_ITEM CPACK_COMPONENTS_ALL analysis)  # in main's package
foreach(component ${CPACK_COMPONENTS_ALL})
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}")
  set(package foretask)
  if(NOT component STREQUAL "main")
    set(package foretask-${component})
  endif()
  set(documents "${root}/share/doc/${package}")
  file(MAKE_DIRECTORY "${documents}")
  configure_file("${CMAKE_CURRENT_LIST_DIR}/copyright" "${documents}/copyright" COPYONLY)
  file(REMOVE "${documents}/LICENSE")  # Apache-2.0 is part of each Debian
  file(RENAME "${documents}/CHANGELOG.md" "${documents}/changelog" RESULT ignored)
  file(RENAME "${root}/share/zsh/site-functions" "${root}/share/zsh/vendor-completions" RESULT ignored)
  file(GLOB compressed "${documents}/changelog" "${root}/share/man/man1/*.1")
  if(compressed)
    execute_process(COMMAND gzip -9n ${compressed} COMMAND_ERROR_IS_FATAL ANY)
  endif()
endforeach()
