# What `cmake --install` puts where. Components: hlobuf-verify (the programs, their
# man pages and completions; a wheel has only this), Development, Documentation.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

if(SKBUILD) # A wheel keeps programs and data in folders of its own.
  set(CMAKE_INSTALL_BINDIR "${SKBUILD_SCRIPTS_DIR}")
  set(CMAKE_INSTALL_DATADIR "${SKBUILD_DATA_DIR}/share")
  set(CMAKE_INSTALL_MANDIR "${SKBUILD_DATA_DIR}/share/man")
endif()

get_property(Tools GLOBAL PROPERTY HLOBUF_TOOLS)
get_property(Libraries GLOBAL PROPERTY HLOBUF_LIBRARIES)

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

# The CMake package.
set(Package "${CMAKE_INSTALL_LIBDIR}/cmake/hlobuf")
install(TARGETS ${Libraries} hlobufFmt EXPORT hlobufTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT Development
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
                             "${CMAKE_INSTALL_INCLUDEDIR}/hlobuf")
install(DIRECTORY lib/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/hlobuf"
        COMPONENT Development FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
install(EXPORT hlobufTargets NAMESPACE hlobuf:: DESTINATION "${Package}"
        COMPONENT Development)
configure_package_config_file(cmake/hlobufConfig.cmake.in hlobufConfig.cmake
  INSTALL_DESTINATION "${Package}" NO_SET_AND_CHECK_MACRO
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(hlobufConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/hlobufConfig.cmake"
              "${PROJECT_BINARY_DIR}/hlobufConfigVersion.cmake"
              cmake/Libraries.cmake
        DESTINATION "${Package}" COMPONENT Development)
