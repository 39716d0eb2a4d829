# Libraries of others under one name each, out of packages that were found before:
# hlobuf::LLVM (LLVM's Support library) and hlobuf::Compression (zlib, zstd, snappy).
# The build includes this file, and so does hlobufConfig.cmake where we are installed.

if(TARGET zstd::libzstd_static)
  set(HlobufZstd zstd::libzstd_static)
else()
  set(HlobufZstd zstd::libzstd_shared)
endif()
if(TARGET Snappy::snappy-static)
  set(HlobufSnappy Snappy::snappy-static)
else()
  set(HlobufSnappy Snappy::snappy)
endif()
add_library(hlobuf::Compression INTERFACE IMPORTED)
target_link_libraries(hlobuf::Compression INTERFACE ZLIB::ZLIB ${HlobufZstd} ${HlobufSnappy})

llvm_map_components_to_libnames(HlobufLLVM support)
separate_arguments(HlobufLLVMDefinitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
add_library(hlobuf::LLVM INTERFACE IMPORTED)
target_include_directories(hlobuf::LLVM SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(hlobuf::LLVM INTERFACE ${HlobufLLVMDefinitions})
target_link_libraries(hlobuf::LLVM INTERFACE ${HlobufLLVM} Threads::Threads)
