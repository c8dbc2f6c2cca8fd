# Debian packages by CPack, made by `make deb` (cmake/packages/build): evalengine (the program and shipped files), libevalengine0 (the
# library) and libevalengine-dev (header, static library, for pkg-config and CMake).
#
# One build is for Debian 12 and 13. Of the libraries that it is linked with, only utf8proc has another name in 13 (libutf8proc3 for
# libutf8proc2), so it is linked statically (EE_STATIC_LIBRARIES=utf8proc); dpkg-shlibdeps says the others. What is loaded when a run
# needs it (libcurl, SQLite, the stemmer) is recommended.
set(EE_PACKAGE_MAINTAINER "The evalengine authors <evalengine@users.noreply.github.com>" CACHE STRING "maintainer of packages")
set(packages ${PROJECT_BINARY_DIR}/debian)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program library dev)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_IGNORE_GROUPS ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${EE_PACKAGE_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian_staged.cmake)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME evalengine)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "tell how good structured answers are
evalengine compares expected with candidate JSON, case by case: data that a
model extracted from documents, entities in text, boxes that a detector drew,
passages that an extractor quoted. It says field by field how good the answers
are, how far each number may be off, and explains every value.

This package has the program, rules for invoices, receipts and others, and
rules that give the numbers of other tools (stickler, ANLS*, SQuAD, ...).")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "libcurl4t64 | libcurl4, libsqlite3-0, libstemmer0d")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS python3) # samples

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libevalengine0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "tell how good structured answers are (shared library)
evalengine compares expected with candidate JSON, case by case, and says how
good the answers are.

This package has the library for programs that judge cases themselves. Rule
files that are loaded by name are in the package evalengine.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "evalengine, libcurl4t64 | libcurl4, libsqlite3-0, libstemmer0d")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libevalengine-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_DESCRIPTION "tell how good structured answers are (development files)
evalengine compares expected with candidate JSON, case by case, and says how
good the answers are.

This package has what building programs with libevalengine needs: the header,
the static library, and files for pkg-config and CMake.")
# Of the static library, as evalengine.pc says.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libevalengine0 (= ${PROJECT_VERSION}-1), libcsv-dev, liblua5.4-dev, libpcre2-dev, libyaml-dev, libzstd-dev, zlib1g-dev")
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libcjson-dev, pkgconf | pkg-config")

# What Debian wants in /usr/share/doc/PACKAGE, written by cmake/packages/build.
foreach(pair program:evalengine library:libevalengine0 dev:libevalengine-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 component)
  list(GET pair 1 package)
  install(FILES ${packages}/copyright ${packages}/changelog.Debian.gz ${packages}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component})
  if(EXISTS ${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides)
    install(FILES ${CMAKE_CURRENT_LIST_DIR}/${package}.lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME ${package} COMPONENT ${component})
  endif()
endforeach()

include(CPack)
