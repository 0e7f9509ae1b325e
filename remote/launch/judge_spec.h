#pragma once

#include <vector>

#include "engine/base/units.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

/// Holds a valid specification against what was found: its data set, and the main memory of each host in
/// order of node (0 = unknown). BadInput when the model cannot read the rows, Refused when a rank does not
/// fit; otherwise what the user should know before the run starts.
Result<Diagnostics> judgeSpec(const RunSpec& spec, const DataSetManifest& data,
                              const std::vector<Bytes>& mainMemory);

} // namespace trainyard
