#pragma once

#include <string>
#include <string_view>

#include "engine/planner/hardware/hardware.h"
#include "engine/spec/diagnostic.h"

namespace trainyard {

struct ParsedNode {
    NodeModel node;
    Diagnostics diagnostics; ///< every unknown key, wrong type and out-of-range value
};

/// Reads a node as resources/presets/hardware has them: sizes with a unit ("80 GiB"), rates in operations and
/// bytes per second, times in seconds. Strict, as parseSpec() is.
ParsedNode parseNode(std::string_view json);

/// Two-space indentation; parseNode() gives the same value back.
std::string toJson(const NodeModel& node);

} // namespace trainyard
