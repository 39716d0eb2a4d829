# How our own sources are compiled and linked.

option(HLOBUF_SANITIZE "Build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(HLOBUF_FUZZ "Build for libFuzzer; needs clang" OFF)
option(HLOBUF_STATIC "Link without shared libraries: a process starts in half the time" OFF)
option(HLOBUF_BENCHMARKS "Build the benchmarks of parts; needs Google Benchmark" OFF)
option(HLOBUF_SANITIZE_THREAD "Build with ThreadSanitizer" OFF)
option(HLOBUF_PRECOMPILE "Read the headers of LLVM, {fmt} and the standard library once" OFF)
option(HLOBUF_WERROR "Treat warnings as errors: for developers, not for whoever builds us" OFF)

include(CheckLinkerFlag)

add_compile_options(
  -Wall -Wextra -Wnon-virtual-dtor -Wimplicit-fallthrough
  -ffunction-sections -fdata-sections
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>)
add_link_options($<IF:$<PLATFORM_ID:Darwin>,-Wl$<COMMA>-dead_strip,-Wl$<COMMA>--gc-sections>)
if(HLOBUF_WERROR)
  add_compile_options(-Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # LLVM's style gives a constructor's parameter its member's name, and returns
  # an Error as an Expected by std::move: GCC's defaults dislike both.
  add_compile_options(-Wshadow=local -Wno-redundant-move)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC bug 105651: false positives in std::string's operator+; others where an
    # optional or an empty SmallVector is copied.
    add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)
  endif()
else()
  # libstdc++'s own stable_sort calls what it has deprecated.
  add_compile_options(-Wno-deprecated-declarations)
endif()
if(NOT CMAKE_BUILD_TYPE MATCHES "Rel")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# The libraries may end up in somebody's shared library. Ours are never
# interposed, so calls within one stay direct.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
add_compile_options(-fno-semantic-interposition)

# Several files in one unit: a fifth of the time. GCC then takes each of them for a
# header with types that differ from unit to unit.
if(CMAKE_UNITY_BUILD)
  add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()

if(HLOBUF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(HLOBUF_SANITIZE)
  set(Sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
  # The instrumented code makes GCC see uninitialized reads that are not there.
  add_compile_options(${Sanitizers} -fno-omit-frame-pointer
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  add_link_options(${Sanitizers})
elseif(HLOBUF_SANITIZE_THREAD)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(HLOBUF_STATIC)
  add_link_options(-static $<$<CXX_COMPILER_ID:GNU>:-no-pie>)
endif()

find_program(HLOBUF_CCACHE ccache)
if(HLOBUF_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${HLOBUF_CCACHE}")
  if(HLOBUF_PRECOMPILE) # Else ccache takes each unit for a new one.
    set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros "${HLOBUF_CCACHE}")
    add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>
      "$<$<CXX_COMPILER_ID:Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()
