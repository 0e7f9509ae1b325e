#pragma once

#include <span>
#include <string_view>

namespace trainyard {

/// A file of resources/presets, compiled in so that every program finds it wherever it was copied.
struct EmbeddedFile {
    std::string_view name; ///< without folder and extension
    std::string_view content;
};

/// Generated at configure time by packaging/cmake/EmbedFiles.cmake.
std::span<const EmbeddedFile> embeddedModelPresets();

} // namespace trainyard
