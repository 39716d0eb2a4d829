# What `cmake --install` puts where. Components: hlobuf-verify (the programs, their
# man pages and completions; a wheel has only this), Documentation.

include(GNUInstallDirs)

if(SKBUILD) # A wheel keeps programs and data in folders of its own.
  set(CMAKE_INSTALL_BINDIR "${SKBUILD_SCRIPTS_DIR}")
  set(CMAKE_INSTALL_DATADIR "${SKBUILD_DATA_DIR}/share")
  set(CMAKE_INSTALL_MANDIR "${SKBUILD_DATA_DIR}/share/man")
endif()

get_property(Tools GLOBAL PROPERTY HLOBUF_TOOLS)

# The man pages and the completions are made from what the programs print.
set(Manual "${PROJECT_BINARY_DIR}/manual")
set(MakeManual "${PROJECT_SOURCE_DIR}/utils/make-manual.py")
install(TARGETS ${Tools} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
        COMPONENT hlobuf-verify)
foreach(Tool ${Tools})
  add_custom_command(
    OUTPUT "${Manual}/${Tool}.1" "${Manual}/${Tool}"
           "${Manual}/_${Tool}" "${Manual}/${Tool}.fish"
    COMMAND "${Python3_EXECUTABLE}" "${MakeManual}" $<TARGET_FILE:${Tool}> "${Manual}"
    DEPENDS ${Tool} "${MakeManual}"
    COMMENT "Writing man page and completions of ${Tool}" VERBATIM)
  list(APPEND ManPages "${Manual}/${Tool}.1")
  foreach(Row ${Tool}.1:${CMAKE_INSTALL_MANDIR}/man1
              ${Tool}:${CMAKE_INSTALL_DATADIR}/bash-completion/completions
              _${Tool}:${CMAKE_INSTALL_DATADIR}/zsh/site-functions
              ${Tool}.fish:${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
    string(REPLACE ":" ";" Row "${Row}")
    list(GET Row 0 File)
    list(GET Row 1 Folder)
    install(FILES "${Manual}/${File}" DESTINATION "${Folder}" COMPONENT hlobuf-verify)
  endforeach()
endforeach()
add_custom_target(hlobuf-manual ALL DEPENDS ${ManPages})

install(FILES LICENSE README.md DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT Documentation)
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}"
        COMPONENT Documentation)
install(FILES .pre-commit-hooks.yaml DESTINATION "${CMAKE_INSTALL_DATADIR}/hlobuf"
        COMPONENT Documentation)
