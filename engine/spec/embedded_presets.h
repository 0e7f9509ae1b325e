#pragma once

#include "engine/base/embedded_file.h"

namespace trainyard {

/// The files of resources/presets/models, generated at configure time by packaging/cmake/EmbedFiles.cmake.
std::span<const EmbeddedFile> embeddedModelPresets();
/// Likewise of resources/presets/recipes.
std::span<const EmbeddedFile> embeddedRecipes();

} // namespace trainyard
