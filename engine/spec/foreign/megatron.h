#pragma once

#include <string_view>

#include "engine/spec/foreign/conversion.h"

namespace trainyard {

ImportedSpec importMegatron(std::string_view text, const ImportBase& base);
ExportedSettings exportMegatron(const RunSpec& spec);

} // namespace trainyard
