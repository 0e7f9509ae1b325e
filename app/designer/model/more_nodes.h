#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Adds so many nodes like the last one. The number in its name goes on counting with as many digits
/// ("node007.lab" → "node008.lab", "me@10.0.0.3:22" → "me@10.0.0.4:22"), past names that are taken; a name
/// without a number gets one. Fewer where the last number of an address ends, at 255. Slurm's nodes all keep
/// the login host's name. Requires a node.
void addNodesLikeLast(RunSpec& spec, int count);

} // namespace trainyard
