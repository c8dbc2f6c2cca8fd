# Libraries of others that become part of the program and of libevalengine.so, for packages that run where these libraries are not:
#
#   cmake -DEE_STATIC_LIBRARIES=all             all but libc; libcurl is still loaded when a run needs it, where there is one
#   cmake "-DEE_STATIC_LIBRARIES=utf8proc;csv"  some, by the names of their archives (libNAME.a)
#
# Debian's archives of Lua, zlib, zstd and SQLite are made for programs (-fPIE), not for shared libraries (-fPIC). They can be part of
# one all the same: with --exclude-libs their names are not visible outside, so that no call needs to go through a table, and what
# Lua wants of the C library's data, stdin, stdout and stderr, it gets from variables of ours (standard_streams.c). The linker
# refuses whatever would need more, so that a library that was linked is right. Of cJSON only the header is used.
# Built on Debian 12, the library asks for glibc 2.34 (manylinux_2_34 in the words of wheels).
set(EE_STATIC_LIBRARIES "" CACHE STRING "libraries that are linked statically: all, or names such as utf8proc;csv")

# Sets `variable` to the archive of the library `name` if it is to be linked, else to "".
function(ee_find_static variable name)
  set(${variable} "" PARENT_SCOPE)
  if(EE_STATIC_LIBRARIES STREQUAL "all" OR name IN_LIST EE_STATIC_LIBRARIES)
    find_library(EE_STATIC_${name} NAMES lib${name}.a REQUIRED)
    set(${variable} ${EE_STATIC_${name}} PARENT_SCOPE)
    get_property(archives GLOBAL PROPERTY EE_STATIC_ARCHIVES)
    if(NOT EE_STATIC_${name} IN_LIST archives)
      set_property(GLOBAL APPEND PROPERTY EE_STATIC_ARCHIVES ${EE_STATIC_${name}})
    endif()
  endif()
endfunction()

# Makes `target`, a library that pkg-config found, its archive if it is to be linked.
function(ee_prefer_static target name)
  ee_find_static(archive ${name})
  if(archive)
    set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES ${archive})
  endif()
endfunction()

# What a shared library needs that has such archives in it.
function(ee_finish_static target)
  if(NOT EE_STATIC_LIBRARIES)
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL)
  if(EE_STATIC_LIBRARIES STREQUAL "all" OR "lua5.4" IN_LIST EE_STATIC_LIBRARIES)
    target_sources(${target} PRIVATE cmake/standard_streams.c)
    target_link_options(${target} PRIVATE -Wl,--wrap=stdin,--wrap=stdout,--wrap=stderr)
  endif()
endfunction()

# Puts the archives that are linked into the static library, which then needs no others. It becomes one object, in which only our own
# names are visible: a host may have another version of the same libraries.
function(ee_merge_static target)
  get_property(archives GLOBAL PROPERTY EE_STATIC_ARCHIVES)
  if(NOT archives)
    return()
  endif()
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E rm -f merged.o
    COMMAND ${CMAKE_LINKER} -r -o merged.o --whole-archive $<TARGET_FILE:${target}> --no-whole-archive ${archives}
    COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=ee_* merged.o
    COMMAND ${CMAKE_COMMAND} -E rm -f $<TARGET_FILE:${target}>
    COMMAND ${CMAKE_AR} qcD $<TARGET_FILE:${target}> merged.o
    COMMAND ${CMAKE_RANLIB} -D $<TARGET_FILE:${target}>
    COMMAND ${CMAKE_COMMAND} -E rm -f merged.o
    VERBATIM)
endfunction()

# Which archives are inside, a line each, for the list of what a package has (cmake/packages/).
function(ee_list_static)
  get_property(archives GLOBAL PROPERTY EE_STATIC_ARCHIVES)
  list(JOIN archives "\n" lines)
  file(WRITE ${PROJECT_BINARY_DIR}/static_libraries.txt "${lines}\n")
endfunction()
