#pragma once

#include "engine/spec/embedded_presets.h"

namespace trainyard {

/// The files of resources/completion, one for each shell, generated as embeddedModelPresets() is.
std::span<const EmbeddedFile> embeddedCompletions();

} // namespace trainyard
