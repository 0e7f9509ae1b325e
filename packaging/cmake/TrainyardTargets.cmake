# One static library per folder, thin executables.
#
#   trainyard_library(SOURCES a.cpp ... [LINKS public...] [PRIVATE_LINKS private...] [APART b.cpp ...])
#       in engine/base makes the target trainyard_engine_base, with the repository root as include path
#   trainyard_qt_library(...)        the same, with Qt's meta-object compiler and precompiled headers of Qt Core
#   trainyard_widget_library(...)    the same, with those of Qt Widgets
#   trainyard_executable(<name> SOURCES main.cpp LINKS ...)

function(trainyard_target_name out)
    file(RELATIVE_PATH folder "${CMAKE_SOURCE_DIR}" "${CMAKE_CURRENT_SOURCE_DIR}")
    string(REPLACE "/" "_" name "trainyard_${folder}")
    set(${out} "${name}" PARENT_SCOPE)
endfunction()

# Sixteen sources are compiled at once, which parses their headers once (-DCMAKE_UNITY_BUILD=OFF: each alone). So names of
# unnamed namespaces are unique within a library; APART are sources that are compiled alone, where that is not worth it.
# Of those with precompiled headers of Qt eight: more take no less time, and whoever changes one waits for all.
if(NOT DEFINED CMAKE_UNITY_BUILD)
    set(CMAKE_UNITY_BUILD ON)
endif()
set(CMAKE_UNITY_BUILD_BATCH_SIZE 16)

function(trainyard_library)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS;APART" ${ARGN})
    trainyard_target_name(name)
    add_library(${name} STATIC ${ARG_SOURCES})
    trainyard_compile_apart(${ARG_APART})
    target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}")
    target_link_libraries(${name} PUBLIC ${ARG_LINKS} PRIVATE trainyard_options ${ARG_PRIVATE_LINKS})
endfunction()

function(trainyard_compile_apart)
    if(ARGN)
        set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
        list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
        set_property(GLOBAL APPEND PROPERTY trainyard_apart ${ARGN}) # for others that compile the same sources
    endif()
endfunction()

function(trainyard_qt_library)
    trainyard_library(${ARGN})
    trainyard_target_name(name)
    set_target_properties(${name} PROPERTIES AUTOMOC ON UNITY_BUILD_BATCH_SIZE 8)
    if(NOT TRAINYARD_QT_PCH)
        set(TRAINYARD_QT_PCH core)
    endif()
    trainyard_precompiled_headers(${name} ${TRAINYARD_QT_PCH})
endfunction()

function(trainyard_widget_library)
    set(TRAINYARD_QT_PCH widget)
    trainyard_qt_library(${ARGN})
endfunction()

# Precompiled headers <kind>, for each level of optimisation, as the compiler wants it; those that no target asks for are
# not compiled. Sources still include what they use (-DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON compiles them so).
function(trainyard_precompile kind)
    cmake_parse_arguments(ARG "" "" "HEADERS" ${ARGN})
    file(WRITE "${CMAKE_BINARY_DIR}/empty.cpp" "")
    foreach(level full light none)
        set(name trainyard_${kind}_${level}_pch)
        add_library(${name} OBJECT EXCLUDE_FROM_ALL "${CMAKE_BINARY_DIR}/empty.cpp")
        target_link_libraries(${name} PRIVATE trainyard_options ${ARG_UNPARSED_ARGUMENTS})
        target_compile_options(${name} PRIVATE ${TRAINYARD_OPTIONS_${level}})
        target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
    endforeach()
endfunction()

# Compiles <target> with the precompiled headers <kind> of the folder's level.
function(trainyard_precompiled_headers target kind)
    target_precompile_headers(${target} REUSE_FROM trainyard_${kind}_${TRAINYARD_OPTIMIZATION}_pch)
    # There GCC 12 does not know std::string as the system's any more and reports the overlapping memcpy of bug 105329
    # under more names.
    if(NOT kind STREQUAL "torch" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
    endif()
endfunction()

function(trainyard_executable name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(${name} PRIVATE trainyard_options ${ARG_LINKS})
    # Beside the program or in ../lib of a node bundle; the build tree adds its own paths. The old kind of tag, because
    # the new one is not asked for what the libraries themselves need.
    set_target_properties(${name} PROPERTIES BUILD_RPATH "$ORIGIN/../lib" INSTALL_RPATH "$ORIGIN/../lib")
    target_link_options(${name} PRIVATE LINKER:--disable-new-dtags)
endfunction()

# An executable that needs nothing of the machine but its kernel: no shared library, not even the C library. It starts on
# any Linux of its architecture, however old. It cannot open shared libraries and cannot look up users and hosts.
# Sanitizers do not work in such a program, so a build with sanitizers links it as usual.
function(trainyard_static_executable name)
    trainyard_executable(${name} ${ARGN})
    if(TRAINYARD_SANITIZE)
        return()
    endif()
    set_target_properties(${name} PROPERTIES TRAINYARD_STATIC ON SKIP_BUILD_RPATH ON INSTALL_RPATH "")
    target_link_options(${name} PRIVATE -static-pie)
    # libcrypto refers to dlopen and getaddrinfo in parts that are never called; GNU's linker warns about each.
    check_linker_flag(CXX LINKER:--no-warnings TRAINYARD_LINKER_CAN_BE_QUIET)
    if(TRAINYARD_LINKER_CAN_BE_QUIET AND NOT TRAINYARD_HAS_LLD)
        target_link_options(${name} PRIVATE LINKER:--no-warnings)
    endif()
endfunction()
