# What is not ours: hlobuf::LLVM (LLVM's Support library), hlobufFmt ({fmt}) and
# hlobuf::Compression (zlib, zstd, snappy). All are linked statically.

set(HLOBUF_LLVM_VERSION 19 CACHE STRING "Major version of LLVM to build with (16 to 22)")
set(ZLIB_USE_STATIC_LIBS ON)

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)

# hlobuf_need(NAME PACKAGES ARGUMENTS...) is find_package(NAME ARGUMENTS...), and notes
# the packages of Debian that are missing.
macro(hlobuf_need Name Packages)
  find_package(${Name} ${ARGN} QUIET)
  if(NOT ${Name}_FOUND)
    list(APPEND Missing ${Packages})
  endif()
endmacro()
set(Missing "")
hlobuf_need(ZLIB zlib1g-dev)
hlobuf_need(zstd libzstd-dev CONFIG)
hlobuf_need(Snappy libsnappy-dev CONFIG)
hlobuf_need(fmt libfmt-dev 9 CONFIG)
hlobuf_need(LLVM "llvm-${HLOBUF_LLVM_VERSION}-dev;libpolly-${HLOBUF_LLVM_VERSION}-dev" CONFIG
  HINTS "/usr/lib/llvm-${HLOBUF_LLVM_VERSION}/lib/cmake/llvm")
if(Missing)
  list(JOIN Missing " " Missing)
  message(FATAL_ERROR "missing: run utils/setup, or apt-get install ${Missing} (elsewhere what "
    "corresponds; -DLLVM_DIR=<folder of LLVMConfig.cmake> says where an LLVM is)")
endif()
if(LLVM_VERSION_MAJOR LESS 16 OR LLVM_VERSION_MAJOR GREATER 22)
  message(FATAL_ERROR "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR} is not supported: 16 to 22 are")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL HLOBUF_LLVM_VERSION)
  message(FATAL_ERROR "found LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, but LLVM "
    "${HLOBUF_LLVM_VERSION} is asked for: install llvm-${HLOBUF_LLVM_VERSION}-dev, or set "
    "-DHLOBUF_LLVM_VERSION=${LLVM_VERSION_MAJOR}")
endif()
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")

include(Libraries)

# LLVM's package says that Support needs the shared zstd and an SMT solver; the
# part of it that we call needs neither.
foreach(Library ${HlobufLLVM})
  get_target_property(Needs ${Library} INTERFACE_LINK_LIBRARIES)
  if(Needs)
    list(FILTER Needs EXCLUDE REGEX "z3")
    list(TRANSFORM Needs REPLACE "^zstd::.*" "${HlobufZstd}")
    set_target_properties(${Library} PROPERTIES INTERFACE_LINK_LIBRARIES "${Needs}")
  endif()
endforeach()

# Debian has {fmt} as a shared library and as headers. Headers alone cost four
# seconds a source file, the shared library half of a process's start: so its
# code is compiled here, once.
add_library(hlobufFmt STATIC "${PROJECT_SOURCE_DIR}/cmake/Fmt.cpp")
target_compile_definitions(hlobufFmt PUBLIC "FMT_STATIC_THOUSANDS_SEPARATOR=','")
target_include_directories(hlobufFmt SYSTEM PUBLIC
  $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
