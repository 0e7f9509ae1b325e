#pragma once

#include <vector>

#include "engine/planner/memory/memory_fit.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

/// Checks a valid specification against its data set and the memory of each host, in order of node. BadInput
/// when the model cannot read the rows, Refused when a rank does not fit or lacks a requested device;
/// otherwise returns remarks for the user before the start.
Result<Diagnostics> judgeSpec(const RunSpec& spec, const DataSetManifest& data,
                              const std::vector<NodeMemory>& memory);
/// The same of a specification with several data sets. `data`: of each of spec.dataset.sets().
Result<Diagnostics> judgeSpec(const RunSpec& spec, const std::vector<DataSetManifest>& data,
                              const std::vector<NodeMemory>& memory);

/// Returns the minimum number of data-parallel replicas with which an elastic run may continue: with fewer,
/// the states that ZeRO splits would not fit in the hosts' memory according to the plan, whichever hosts are
/// left. For a specification that judgeSpec() accepts.
int leastReplicas(const RunSpec& spec, const DataSetManifest& data, const std::vector<NodeMemory>& memory);

/// The checks that need no knowledge of the hosts.
Result<Diagnostics> judgeDataSets(const RunSpec& spec, const std::vector<DataSetManifest>& data);

/// Checks the data set of evaluation.dataset; `trainingLength`: tokens of a row of the run's own. BadInput or
/// Refused naming the field.
Status judgeEvaluatedDataSet(const RunSpec& spec, const DataSetManifest& evaluated, int trainingLength);

} // namespace trainyard
