#pragma once

#include <string_view>

#include "engine/spec/foreign/conversion.h"

namespace trainyard {

ImportedSpec importSageMaker(std::string_view text, const ImportBase& base);
ExportedSettings exportSageMaker(const RunSpec& spec);

} // namespace trainyard
