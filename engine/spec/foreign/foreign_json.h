#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/spec/foreign/conversion.h"

namespace trainyard {

/// Parses a JSON text of another tool into `imported.problems` or a value; null with a problem when it is no
/// JSON or nests too deep.
nlohmann::json parseForeignJson(std::string_view text, ImportedSpec& imported);

} // namespace trainyard
