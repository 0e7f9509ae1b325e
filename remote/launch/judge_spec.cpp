#include "remote/launch/judge_spec.h"

#include <algorithm>

#include "engine/planner/memory_model.h"
#include "engine/spec/data_set_rules.h"

namespace trainyard {

Result<Diagnostics> judgeSpec(const RunSpec& spec, const DataSetManifest& data,
                              const std::vector<NodeMemory>& memory)
{
    TRAINYARD_TRY(Diagnostics remarks, judgeDataSet(spec, data));
    const auto ofNode = [&](std::size_t node) { return memory[node]; };
    TRAINYARD_TRY_STATUS(haveDevices(spec, ofNode));
    const auto hosts = memoryOfHosts(spec, ofNode);
    const MemoryEstimate planned = estimateMemory(spec, {data.sequenceLength, data.maxPredictions});
    const bool onDevices = std::ranges::all_of(hosts, &HostMemory::onDevices);
    TRAINYARD_TRY_STATUS(fitsMemory(hosts, onDevices ? planned.onDevice() : planned.total()));
    return remarks;
}

Result<Diagnostics> judgeDataSet(const RunSpec& spec, const DataSetManifest& data)
{
    const DataSetShape shape = data.shape();
    if (const Diagnostics problems = dataSetProblems(spec, shape); !problems.empty())
        return toError(problems);
    return dataSetRemarks(spec, shape);
}

} // namespace trainyard
