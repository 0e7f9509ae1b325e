# Arrow and Parquet as imported targets, for datasets/tables alone. Taken from TRAINYARD_ARROW_ROOT or from the wheel of
# pyarrow that packaging/setup unpacked; Debian 12 has neither. Without them Parquet and Arrow files cannot be read, and
# everything else works.
set(arrow_root "${TRAINYARD_ARROW_ROOT}")
if(NOT arrow_root)
    set(arrow_root "${TRAINYARD_DEPS}/arrow/pyarrow")
endif()
find_path(TRAINYARD_ARROW_INCLUDE parquet/file_reader.h PATHS "${arrow_root}/include" NO_DEFAULT_PATH)
# A wheel has no names without a version.
set(version 2100)
foreach(library arrow parquet)
    string(TOUPPER TRAINYARD_${library}_LIBRARY variable)
    find_library(${variable} NAMES lib${library}.so.${version} PATHS "${arrow_root}" "${arrow_root}/lib" NO_DEFAULT_PATH)
endforeach()
set(TRAINYARD_HAS_ARROW OFF)
if(TRAINYARD_ARROW_INCLUDE AND TRAINYARD_ARROW_LIBRARY AND TRAINYARD_PARQUET_LIBRARY)
    set(TRAINYARD_HAS_ARROW ON)
    add_library(trainyard_arrow INTERFACE)
    target_include_directories(trainyard_arrow SYSTEM INTERFACE "${TRAINYARD_ARROW_INCLUDE}")
    target_link_libraries(trainyard_arrow INTERFACE "${TRAINYARD_PARQUET_LIBRARY}" "${TRAINYARD_ARROW_LIBRARY}")
else()
    message(STATUS "Parquet and Arrow files: off, because Arrow's libraries were not found; packaging/setup fetches them")
endif()
