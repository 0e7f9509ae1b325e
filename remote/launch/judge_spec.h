#pragma once

#include <vector>

#include "engine/planner/memory/memory_fit.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

/// Holds a valid specification against what was found: its data set, and the memory of each host in order of
/// node. BadInput when the model cannot read the rows, Refused when a rank does not fit or has no device that
/// it asks for; otherwise what the user should know before the run starts.
Result<Diagnostics> judgeSpec(const RunSpec& spec, const DataSetManifest& data,
                              const std::vector<NodeMemory>& memory);

/// The fewest data-parallel replicas that an elastic run may go on with: fewer would hold more of the states
/// that ZeRO splits than the hosts have memory for, as planned, whichever hosts are left. Of a specification
/// that judgeSpec() accepts.
int leastReplicas(const RunSpec& spec, const DataSetManifest& data, const std::vector<NodeMemory>& memory);

/// As far as that goes without knowing the hosts.
Result<Diagnostics> judgeDataSet(const RunSpec& spec, const DataSetManifest& data);

} // namespace trainyard
