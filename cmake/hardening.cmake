# What makes mistakes in memory harder to use, and builds the same everywhere. ee_harden(TARGET) adds it to what TARGET's users are
# compiled and linked with; tests/hardening looks at what came out.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# Code at an address that nobody knows. CMAKE_POSITION_INDEPENDENT_CODE then also links programs so.
check_pie_supported(LANGUAGES C)

function(ee_harden target)
  set(flags
      -fstack-protector-strong     # returns to overwritten addresses are noticed
      -fstack-clash-protection     # large frames do not jump over the guard page
      -fcf-protection=full         # x86: jumps go only where jumps may go (CET)
      -mbranch-protection=standard # the same on arm64
      -Wformat -Wformat-security)
  set(CMAKE_REQUIRED_FLAGS -Werror) # clang takes flags of other processors, with a warning
  foreach(flag IN LISTS flags)
    string(MAKE_C_IDENTIFIER "EE_HAS${flag}" known)
    check_c_compiler_flag(${flag} ${known})
    if(${known})
      target_compile_options(${target} INTERFACE ${flag})
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_FLAGS)
  # Functions of the C library that know the size of what they write to; that needs optimisation. 3 is of gcc 12 and clang 9.
  set(level 3)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_C_COMPILER_VERSION VERSION_LESS 12)
    set(level 2)
  endif()
  target_compile_options(${target} INTERFACE $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE> $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=${level}>)
  # Tables of addresses are read-only once the program runs, and nothing is both written and run.
  foreach(flag relro now noexecstack)
    check_linker_flag(C -Wl,-z,${flag} EE_LINKS_${flag})
    if(EE_LINKS_${flag})
      target_link_options(${target} INTERFACE -Wl,-z,${flag})
    endif()
  endforeach()
endfunction()

# The names of folders are no part of what is built: two builds in two places have the same bytes (`make reproducible`).
function(ee_hide_folders target)
  check_c_compiler_flag(-ffile-prefix-map=/a=b EE_HAS_FILE_PREFIX_MAP)
  if(EE_HAS_FILE_PREFIX_MAP)
    target_compile_options(${target} INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
  endif()
endfunction()
