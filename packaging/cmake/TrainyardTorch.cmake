# LibTorch as imported targets of our own: torch's CMake package demands a CUDA toolkit even where only
# the CPU libraries are linked. Taken from, in this order: TRAINYARD_TORCH_ROOT, a LibTorch on
# CMAKE_PREFIX_PATH, the wheel that packaging/setup unpacked.
find_path(TRAINYARD_TORCH_INCLUDE ATen/ATen.h
    HINTS "${TRAINYARD_TORCH_ROOT}/include" PATHS ${CMAKE_PREFIX_PATH} "${TRAINYARD_DEPS}/torch"
    PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(TRAINYARD_TORCH_CPU torch_cpu
    HINTS "${TRAINYARD_TORCH_ROOT}/lib" PATHS ${CMAKE_PREFIX_PATH} "${TRAINYARD_DEPS}/torch"
    PATH_SUFFIXES lib NO_DEFAULT_PATH)
if(NOT TRAINYARD_TORCH_INCLUDE OR NOT TRAINYARD_TORCH_CPU)
    message(FATAL_ERROR "LibTorch was not found. Run packaging/setup, set CMAKE_PREFIX_PATH to a LibTorch, "
        "or build only the desk with the preset desk-only.")
endif()
get_filename_component(torch_lib "${TRAINYARD_TORCH_CPU}" DIRECTORY)

add_library(torch_c10 SHARED IMPORTED)
set_target_properties(torch_c10 PROPERTIES IMPORTED_LOCATION "${torch_lib}/libc10.so")
add_library(torch_cpu SHARED IMPORTED)
set_target_properties(torch_cpu PROPERTIES IMPORTED_LOCATION "${TRAINYARD_TORCH_CPU}")
add_library(trainyard_torch INTERFACE)
target_include_directories(trainyard_torch SYSTEM INTERFACE
    "${TRAINYARD_TORCH_INCLUDE}" "${TRAINYARD_TORCH_INCLUDE}/torch/csrc/api/include")
# LibTorch brings headers of a newer fmt than the system's, and no library for them.
target_compile_definitions(trainyard_torch INTERFACE FMT_HEADER_ONLY=1)
# libtorch_cpu needs libcudart and libcupti at run time, also where there is no GPU; their wheels lie beside.
target_link_libraries(trainyard_torch INTERFACE torch_cpu torch_c10)
target_link_options(trainyard_torch INTERFACE "-Wl,-rpath-link,${TRAINYARD_DEPS}/cuda/lib" "-Wl,--disable-new-dtags"
    "-Wl,-rpath,${torch_lib}:${TRAINYARD_DEPS}/cuda/lib")

# ATen and autograd headers take 6 to 12 s a file.
trainyard_precompile(torch trainyard_torch
    HEADERS <torch/types.h> <torch/autograd.h> <torch/nn/module.h> <vector> <string> <memory> <functional>)

# trainyard_library whose sources use the precompiled LibTorch headers.
function(trainyard_torch_library)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS;APART" ${ARGN})
    trainyard_library(SOURCES ${ARG_SOURCES} LINKS ${ARG_LINKS} trainyard_torch PRIVATE_LINKS ${ARG_PRIVATE_LINKS}
        APART ${ARG_APART})
    trainyard_target_name(name)
    trainyard_precompiled_headers(${name} torch)
endfunction()

# trainyard_torch_program(<name> SOURCES ... LINKS ...): a program among the tests that uses LibTorch.
function(trainyard_torch_program name)
    cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${ARG_SOURCES})
    # As the precompiled headers are compiled, not -fPIE.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF
        RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
    target_compile_options(${name} PRIVATE -fPIC)
    target_link_libraries(${name} PRIVATE trainyard_options CLI11::CLI11 ${ARG_LINKS})
    trainyard_precompiled_headers(${name} torch)
endfunction()

# trainyard_test that uses LibTorch. The precompiled headers come first, before Qt's macro `slots`. One thread:
# the problems are small, and OpenMP threads that spin on a busy machine take minutes for them.
function(trainyard_torch_test name)
    set(TRAINYARD_TEST_PCH torch)
    trainyard_test(${name} ENVIRONMENT OMP_NUM_THREADS=1 ${ARGN})
endfunction()
