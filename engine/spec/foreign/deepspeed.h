#pragma once

#include <string_view>

#include "engine/spec/foreign/conversion.h"

namespace trainyard {

ImportedSpec importDeepSpeed(std::string_view text, const ImportBase& base);
ExportedSettings exportDeepSpeed(const RunSpec& spec);

} // namespace trainyard
