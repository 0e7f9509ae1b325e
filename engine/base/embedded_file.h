#pragma once

#include <span>
#include <string_view>

namespace trainyard {

/// A file of resources, compiled in so that every program finds it wherever it was copied.
struct EmbeddedFile {
    std::string_view name; ///< without folder and extension
    std::string_view content;
};

} // namespace trainyard
