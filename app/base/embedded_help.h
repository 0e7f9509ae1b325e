#pragma once

#include "engine/base/embedded_file.h"

namespace trainyard {

/// The Markdown files of resources/help.
std::span<const EmbeddedFile> embeddedHelp();

} // namespace trainyard
