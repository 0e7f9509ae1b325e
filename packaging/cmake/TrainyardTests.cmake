# trainyard_test(<name> SOURCES ... [LINKS ...] [LABELS unit] [RANKS n] [TIMEOUT seconds] [ENVIRONMENT A=b ...]
#                [PROCESSORS avx2|avx512 ...] [ON_DEVICE] [ON_KERNELS] [NEEDS programs...]
#                [ALONE])
#
# Labels: unit mpi ssh slurm gui fault gpu device long. With RANKS the test runs under mpirun. TIMEOUT (300) is for a test
# that hangs, as a whole or in one function; it must hold on a machine that is busy with four times as much.
# Qt tests run offscreen unless they say otherwise. PROCESSORS: the test runs again as <name>_on_<processor>, which has no
# more than that (tests/support/processor). ON_DEVICE: it runs again as <name>_on_device, label device, on what
# testedDevice() gives then (tests/support/tested_device); ON_KERNELS: likewise as <name>_on_kernels, on our kernels for
# CUDA, compiled for the processor. NEEDS: what the test starts, to be built with it.
#
# Where a folder sets TRAINYARD_TEST_GROUP, its tests are compiled together, sixteen sources at once, into one executable
# tests_<group>, which parses headers and links once for all of them; ctest runs each under its own name. Names in unnamed
# namespaces are therefore unique in a folder. ALONE: one with a main() of its own, in an executable of its own.
# TRAINYARD_TEST_PCH: the precompiled headers that the tests of a folder use: core, widget or torch.
function(trainyard_test name)
    cmake_parse_arguments(ARG "ALONE;ON_DEVICE;ON_KERNELS" "RANKS;TIMEOUT" "SOURCES;LINKS;LABELS;ENVIRONMENT;PROCESSORS;NEEDS" ${ARGN})
    if(NOT ARG_LABELS)
        set(ARG_LABELS unit)
    endif()
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    if(TRAINYARD_TEST_GROUP AND NOT ARG_ALONE)
        set(executable tests_${TRAINYARD_TEST_GROUP})
        set(command $<TARGET_FILE:${executable}> ${name})
    else()
        set(executable ${name})
        set(command $<TARGET_FILE:${executable}>)
    endif()
    trainyard_test_executable(${executable} ${ARG_SOURCES})
    target_link_libraries(${executable} PRIVATE ${ARG_LINKS})
    if(ARG_NEEDS)
        add_dependencies(${executable} ${ARG_NEEDS})
    endif()
    set(test ${name})
    if(ARG_RANKS)
        set(test "${name}_${ARG_RANKS}_ranks")
        set(command ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe --bind-to none -np ${ARG_RANKS} ${command})
    endif()
    # Tests that start ranks or use a GPU need the machine to themselves. Tests of faults and of Slurm do not: they wait
    # longer than they work, on hosts of their own. Of those that start no ranks either, or leave that to Slurm, two count
    # as one test that computes (ctest -j4 on two cores). Folders name the exceptions.
    set(serial OFF)
    if(("mpi" IN_LIST ARG_LABELS OR "gpu" IN_LIST ARG_LABELS) AND NOT ARG_LABELS MATCHES "fault|slurm")
        set(serial ON)
    endif()
    set(processors 2)
    if("slurm" IN_LIST ARG_LABELS OR (ARG_LABELS MATCHES "fault|ssh" AND NOT ARG_LABELS MATCHES "mpi"))
        set(processors 1)
    endif()
    add_test(NAME ${test} COMMAND ${command})
    set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} RUN_SERIAL ${serial}
        PROCESSORS ${processors}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${ARG_TIMEOUT}000;${ARG_ENVIRONMENT}")
    set(devices)
    if(ARG_ON_DEVICE)
        list(APPEND devices device=emulated)
    endif()
    # Fibers, on which kernels run on the processor, know AddressSanitizer and no other.
    if(ARG_ON_KERNELS AND (NOT TRAINYARD_SANITIZE OR TRAINYARD_SANITIZE MATCHES "address"))
        list(APPEND devices kernels=kernels)
    endif()
    foreach(device ${devices})
        string(REPLACE "=" ";" device ${device})
        list(POP_FRONT device suffix)
        add_test(NAME ${test}_on_${suffix} COMMAND ${command})
        set_tests_properties(${test}_on_${suffix} PROPERTIES LABELS "${ARG_LABELS};device" TIMEOUT ${ARG_TIMEOUT}
            RUN_SERIAL ${serial} PROCESSORS ${processors}
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${ARG_TIMEOUT}000;${ARG_ENVIRONMENT};TRAINYARD_TEST_DEVICE=${device}")
    endforeach()
    # A sanitizer has to be the first library of a process.
    if(NOT TARGET lesser_processor OR TRAINYARD_SANITIZE)
        return()
    endif()
    foreach(processor ${ARG_PROCESSORS})
        add_dependencies(${executable} lesser_processor)
        add_test(NAME ${test}_on_${processor} COMMAND ${command})
        set_tests_properties(${test}_on_${processor} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
            RUN_SERIAL ${serial} PROCESSORS ${processors} SKIP_RETURN_CODE 77
            # LD_PRELOAD takes a blank in a path for the end of a name.
            ENVIRONMENT_MODIFICATION "LD_LIBRARY_PATH=path_list_prepend:${CMAKE_BINARY_DIR}/tests"
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${ARG_TIMEOUT}000;${ARG_ENVIRONMENT};LD_PRELOAD=lesser_processor.so;TRAINYARD_TEST_PROCESSOR=${processor}")
    endforeach()
endfunction()

# Adds to <executable> those of the sources that it does not have yet.
function(trainyard_test_executable executable)
    set(sources ${ARGN})
    list(TRANSFORM sources PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
    if(NOT TARGET ${executable})
        add_executable(${executable})
        set_target_properties(${executable} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
        target_link_libraries(${executable} PRIVATE trainyard_options Qt6::Test)
        target_compile_definitions(${executable} PRIVATE
            TRAINYARD_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TRAINYARD_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
        if(TRAINYARD_TEST_PCH)
            trainyard_precompiled_headers(${executable} ${TRAINYARD_TEST_PCH})
        endif()
        if(executable MATCHES "^tests_")
            target_link_libraries(${executable} PRIVATE trainyard_tests_support_group)
            set_target_properties(${executable} PROPERTIES UNITY_BUILD ON
                UNITY_BUILD_CODE_BEFORE_INCLUDE "#include \"tests/support/group/grouped_test.h\"")
        endif()
    endif()
    get_target_property(known ${executable} SOURCES)
    if(known)
        list(REMOVE_ITEM sources ${known})
    endif()
    target_sources(${executable} PRIVATE ${sources})
    trainyard_generate_mocs(${executable} ${sources})
endfunction()

# The "x.moc" that an x.cpp includes at its end. AUTOMOC would look through every file of every test once more, and with
# TARGET moc would read all headers of LibTorch (up to 15 s a test), which say nothing of test classes.
function(trainyard_generate_mocs target)
    foreach(source ${ARGN})
        cmake_path(GET source STEM stem)
        file(STRINGS ${source} includes REGEX "^#include \"${stem}\\.moc\"")
        if(includes)
            set(mocs "${CMAKE_CURRENT_BINARY_DIR}/${target}_mocs")
            qt_generate_moc(${source} "${mocs}/${stem}.moc")
            target_sources(${target} PRIVATE "${mocs}/${stem}.moc")
            target_include_directories(${target} PRIVATE "${mocs}")
        endif()
    endforeach()
endfunction()

# ctest makes one bundle of the engine for all these tests, see tests/support/bundle.
function(trainyard_use_engine_bundle)
    foreach(test ${ARGN})
        set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED engine_bundle)
        set_property(TEST ${test} APPEND PROPERTY ENVIRONMENT
            "TRAINYARD_TEST_BUNDLE=${CMAKE_BINARY_DIR}/Testing/engine_bundle")
    endforeach()
endfunction()
