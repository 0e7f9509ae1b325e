#pragma once

#include "engine/base/embedded_file.h"

namespace trainyard {

/// The files of resources/wiki, generated at configure time by packaging/cmake/EmbedFiles.cmake.
std::span<const EmbeddedFile> embeddedWikiFiles();

} // namespace trainyard
