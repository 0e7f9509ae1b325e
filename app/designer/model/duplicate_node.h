#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Adds `count` copies of the last node. The number in its name is incremented with the same number of
/// digits ("node007.lab" → "node008.lab", "me@10.0.0.3:22" → "me@10.0.0.4:22"), skipping names in use; a
/// name without a number gets one. Adds fewer if the last number of an address would exceed 255. Slurm nodes
/// keep the login host's name. Requires a node.
void duplicateLastNode(RunSpec& spec, int count);

} // namespace trainyard
