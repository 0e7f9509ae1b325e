#pragma once

#include "engine/planner/memory/memory_fit.h"

namespace trainyard {

/// Main memory and processor of this machine, where the node is it and nothing else is known of it: no link
/// is needed to look. Empty for every other node.
NodeMemory memoryHere(const NodeSpec& node);

} // namespace trainyard
