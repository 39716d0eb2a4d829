# Writes files as C++ strings: the pages of checks for --explain, and the parts of
# the page that hlobuf-view writes.
#
#   cmake -DOUTPUT=<file> "-DPAGES=<page>;<page>..." [-DMACRO=<name>] -P EmbedDocs.cmake
#
# Each page <id>.md becomes one entry: HLOBUF_CHECK_DOC("<id>", R"doc(...)doc"); with
# a macro of another name, <id> is the whole name of the file.

cmake_minimum_required(VERSION 3.25)

set(Limit 60000) # Compilers limit a literal's length; adjacent ones are joined.

# Appends Text to Output as string literals of at most Limit bytes, cut at a
# line's end.
function(append_literals Text)
  while(TRUE)
    string(LENGTH "${Text}" Length)
    if(Length LESS_EQUAL Limit)
      break()
    endif()
    string(SUBSTRING "${Text}" 0 ${Limit} Piece)
    string(FIND "${Piece}" "\n" End REVERSE)
    if(End EQUAL -1)
      message(FATAL_ERROR "a line of more than ${Limit} bytes in ${Page}")
    endif()
    math(EXPR End "${End} + 1")
    string(SUBSTRING "${Text}" 0 ${End} Piece)
    string(SUBSTRING "${Text}" ${End} -1 Text)
    string(APPEND Output "R\"doc(${Piece})doc\" ")
  endwhile()
  string(APPEND Output "R\"doc(${Text})doc\"")
  set(Output "${Output}" PARENT_SCOPE)
endfunction()

if(NOT MACRO)
  set(MACRO HLOBUF_CHECK_DOC)
endif()
set(Output "// Written by EmbedDocs.cmake.\n")
foreach(Page IN LISTS PAGES)
  file(READ "${Page}" Text)
  string(FIND "${Text}" ")doc\"" Delimiter)
  if(NOT Delimiter EQUAL -1)
    message(FATAL_ERROR "${Page} contains )doc\", which ends the string it is put in")
  endif()
  if(MACRO STREQUAL "HLOBUF_CHECK_DOC")
    get_filename_component(Id "${Page}" NAME_WE)
  else()
    get_filename_component(Id "${Page}" NAME)
  endif()
  string(APPEND Output "${MACRO}(\"${Id}\", ")
  append_literals("${Text}")
  string(APPEND Output ")\n")
endforeach()
file(WRITE "${OUTPUT}" "${Output}")
