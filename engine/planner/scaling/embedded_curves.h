#pragma once

#include "engine/spec/embedded_presets.h"

namespace trainyard {

/// The files of resources/presets/published, generated as embeddedModelPresets() is; ascending names.
std::span<const EmbeddedFile> embeddedPublishedCurves();

} // namespace trainyard
