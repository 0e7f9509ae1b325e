#pragma once

#include <filesystem>
#include <map>

#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// The scalars of a YAML file that holds a map, as they are written there: those of maps below it under
/// "a.b", of lists under "a.0". BadInput, with the line, for what is not YAML, not a map, or larger than 4
/// MiB.
Result<std::map<QString, QString>> readYamlTexts(const std::filesystem::path& file);

} // namespace trainyard
