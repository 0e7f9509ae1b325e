# The language, the warnings and the sanitizers of our own code.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Full optimisation takes a third more time to compile than light, and light a third more than none. Full pays in a
# training step and in what goes over a corpus. The rest of the product waits for people, hosts and files: the window, the
# connection, commands, what surrounds training. Tests spend their time in the libraries that they test.
set(TRAINYARD_OPTIMIZATION full)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(TRAINYARD_OPTIONS_light -O1)
    set(TRAINYARD_OPTIONS_none -O0)
endif()

# What this folder and those below are compiled with from here on: full, light or none.
macro(trainyard_optimization level)
    set(TRAINYARD_OPTIMIZATION ${level})
    add_compile_options(${TRAINYARD_OPTIONS_${level}})
endmacro()

add_library(trainyard_options INTERFACE)
target_compile_options(trainyard_options INTERFACE -Wall -Wextra -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A source that others are compiled with counts as a header, whose types should not have hidden members.
    target_compile_options(trainyard_options INTERFACE -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 reports std::string concatenation as overlapping memcpy (GCC bug 105329, fixed in 13).
    target_compile_options(trainyard_options INTERFACE -Wno-restrict)
endif()
# Programs link every library statically, hundreds of tests too: LLVM's linker takes a sixth of the time of GNU's.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld TRAINYARD_HAS_LLD)
if(TRAINYARD_HAS_LLD)
    add_link_options(-fuse-ld=lld)
endif()
target_compile_definitions(trainyard_options INTERFACE TRAINYARD_VERSION="${PROJECT_VERSION}")
if(TRAINYARD_SANITIZE)
    target_compile_options(trainyard_options INTERFACE -fsanitize=${TRAINYARD_SANITIZE} -fno-omit-frame-pointer)
    target_link_options(trainyard_options INTERFACE -fsanitize=${TRAINYARD_SANITIZE})
endif()
