#pragma once

#include "engine/spec/embedded_presets.h"

namespace trainyard {

/// The files of resources/presets/hardware, generated as embeddedModelPresets() is; ascending names.
std::span<const EmbeddedFile> embeddedNodePresets();

} // namespace trainyard
