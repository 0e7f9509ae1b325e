#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Adds so many nodes like the last one. The number in its name goes on counting with as many digits
/// ("node007.lab" → "node008.lab", "10.0.0.3" → "10.0.0.4"), past names that are taken; a name without a
/// number gets one. Slurm's nodes all keep the login host's name. Requires a node.
void addNodesLikeLast(RunSpec& spec, int count);

} // namespace trainyard
