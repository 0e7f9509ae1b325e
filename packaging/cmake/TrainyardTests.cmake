# trainyard_test(<name> SOURCES ... [LINKS ...] [LABELS unit] [RANKS n] [TIMEOUT seconds] [ENVIRONMENT A=b ...]
#                [PROCESSORS avx2|avx512 ...])
#
# Labels: unit mpi ssh slurm gui fault gpu long. With RANKS the test runs under mpirun. TIMEOUT (300) is for a test
# that hangs, as a whole or in one function; it must hold on a machine that is busy with four times as much.
# Qt tests run offscreen unless they say otherwise. PROCESSORS: the test runs again as <name>_on_<processor>, which has no
# more than that (tests/support/processor).
function(trainyard_test name)
    cmake_parse_arguments(ARG "" "RANKS;TIMEOUT" "SOURCES;LINKS;LABELS;ENVIRONMENT;PROCESSORS" ${ARGN})
    if(NOT ARG_LABELS)
        set(ARG_LABELS unit)
    endif()
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    if(NOT TARGET ${name})
        add_executable(${name} ${ARG_SOURCES})
        trainyard_generate_mocs(${name} ${ARG_SOURCES})
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
        target_link_libraries(${name} PRIVATE trainyard_options Qt6::Test ${ARG_LINKS})
        target_compile_definitions(${name} PRIVATE
            TRAINYARD_SOURCE_DIR="${CMAKE_SOURCE_DIR}" TRAINYARD_BIN_DIR="${CMAKE_BINARY_DIR}/bin")
    endif()
    set(command $<TARGET_FILE:${name}>)
    set(test ${name})
    if(ARG_RANKS)
        set(test "${name}_${ARG_RANKS}_ranks")
        set(command ${MPIEXEC_EXECUTABLE} --allow-run-as-root --oversubscribe --bind-to none -np ${ARG_RANKS} ${command})
    endif()
    # What starts ranks, servers or windows needs the machine to itself, but for faults: they are waited for longer than
    # they are worked at, in hosts of their own.
    set(serial ON)
    if(ARG_LABELS STREQUAL "unit" OR "fault" IN_LIST ARG_LABELS)
        set(serial OFF)
    endif()
    add_test(NAME ${test} COMMAND ${command})
    set_tests_properties(${test} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} RUN_SERIAL ${serial}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${ARG_TIMEOUT}000;${ARG_ENVIRONMENT}")
    # A sanitizer has to be the first library of a process.
    if(NOT TARGET lesser_processor OR TRAINYARD_SANITIZE)
        return()
    endif()
    foreach(processor ${ARG_PROCESSORS})
        add_dependencies(${name} lesser_processor)
        add_test(NAME ${test}_on_${processor} COMMAND ${command})
        set_tests_properties(${test}_on_${processor} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT}
            RUN_SERIAL ${serial} SKIP_RETURN_CODE 77
            ENVIRONMENT "QT_QPA_PLATFORM=offscreen;QTEST_FUNCTION_TIMEOUT=${ARG_TIMEOUT}000;${ARG_ENVIRONMENT};LD_PRELOAD=${CMAKE_BINARY_DIR}/tests/lesser_processor.so;TRAINYARD_TEST_PROCESSOR=${processor}")
    endforeach()
endfunction()

# The "x.moc" that an x.cpp includes at its end. AUTOMOC would look through every file of every test once more.
function(trainyard_generate_mocs target)
    foreach(source ${ARGN})
        cmake_path(GET source STEM stem)
        file(STRINGS ${source} includes REGEX "^#include \"${stem}\\.moc\"")
        if(includes)
            set(mocs "${CMAKE_CURRENT_BINARY_DIR}/${target}_mocs")
            qt_generate_moc(${source} "${mocs}/${stem}.moc" TARGET ${target})
            target_sources(${target} PRIVATE "${mocs}/${stem}.moc")
            target_include_directories(${target} PRIVATE "${mocs}")
        endif()
    endforeach()
endfunction()
