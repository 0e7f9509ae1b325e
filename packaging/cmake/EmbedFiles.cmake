# trainyard_embed_files(<out.cpp> HEADER <h> FUNCTION <name> FILES ...)
# Writes a C++ file that defines `std::span<const EmbeddedFile> trainyard::<name>()` with the files' contents.
function(trainyard_embed_files out)
    cmake_parse_arguments(ARG "" "HEADER;FUNCTION" "FILES" ${ARGN})
    set(entries "")
    foreach(file ${ARG_FILES})
        get_filename_component(name "${file}" NAME_WLE)
        file(READ "${file}" content)
        string(APPEND entries "    {\"${name}\", R\"embedded(${content})embedded\"},\n")
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    endforeach()
    set(text "// Generated from resources by EmbedFiles.cmake.\n#include \"${ARG_HEADER}\"\n\n")
    string(APPEND text "namespace trainyard {\n\nstd::span<const EmbeddedFile> ${ARG_FUNCTION}()\n{\n")
    string(APPEND text "    static constexpr EmbeddedFile kFiles[] = {\n${entries}};\n    return kFiles;\n}\n\n} // namespace trainyard\n")
    file(CONFIGURE OUTPUT "${out}" CONTENT "${text}" @ONLY)
    # Its path is that of the build folder: whatever it was compiled together with, a compiler cache would not know again
    # in another one.
    set_source_files_properties("${out}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
