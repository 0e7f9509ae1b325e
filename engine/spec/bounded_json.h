#pragma once

#include <string_view>

#include <nlohmann/json.hpp>

#include "engine/base/json_limits.h"
#include "engine/base/result.h"

namespace trainyard {

/// Parses a JSON text from elsewhere. BadInput, with line and column, when it is none, when an object has a
/// key twice, and beyond the limits, which are looked at first (checkJsonLimits()).
Result<nlohmann::json> parseBoundedJson(std::string_view text, const JsonLimits& limits = {});

} // namespace trainyard
