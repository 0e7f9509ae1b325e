#pragma once

#include <memory>

#include "engine/checkpoint/hugging_face/format/architecture.h"

namespace trainyard {

/// Of a family whose table says how Hugging Face describes it (engine/spec/families): names are the engine's,
/// and nothing is stored in another way.
std::unique_ptr<const Architecture> makeTableArchitecture(ModelFamily family);

} // namespace trainyard
