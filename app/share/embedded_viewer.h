#pragma once

#include "engine/base/embedded_file.h"

namespace trainyard {

/// The page that shows shared runs: "index" (HTML), "viewer" (JavaScript) and "style" (CSS), from
/// resources/share.
std::span<const EmbeddedFile> embeddedViewer();

} // namespace trainyard
