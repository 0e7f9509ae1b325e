#include "remote/launch/judge_spec.h"

#include <algorithm>

#include "engine/planner/memory_model.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/elastic.h"

namespace trainyard {

namespace {

Status fitsHosts(const RunSpec& spec, const DataSetManifest& data, const std::vector<HostMemory>& hosts)
{
    const MemoryEstimate planned = estimateMemory(spec, {data.sequenceLength, data.maxPredictions});
    const bool onDevices = std::ranges::all_of(hosts, &HostMemory::onDevices);
    return fitsMemory(hosts, onDevices ? planned.onDevice() : planned.total());
}

} // namespace

Result<Diagnostics> judgeSpec(const RunSpec& spec, const DataSetManifest& data,
                              const std::vector<NodeMemory>& memory)
{
    TRAINYARD_TRY(Diagnostics remarks, judgeDataSet(spec, data));
    const auto ofNode = [&](std::size_t node) { return memory[node]; };
    TRAINYARD_TRY_STATUS(haveDevices(spec, ofNode));
    TRAINYARD_TRY_STATUS(fitsHosts(spec, data, memoryOfHosts(spec, ofNode)));
    return remarks;
}

int leastReplicas(const RunSpec& spec, const DataSetManifest& data, const std::vector<NodeMemory>& memory)
{
    const auto hosts = memoryOfHosts(spec, [&](std::size_t node) { return memory[node]; });
    int least = spec.layout.data;
    for (int replicas = least - 1; replicas > 0; --replicas) {
        const auto smaller = withReplicas(spec, replicas);
        if (smaller.ok() && !fitsHosts(*smaller, data, hosts).ok())
            break;
        if (smaller.ok())
            least = replicas;
    }
    return least;
}

Result<Diagnostics> judgeDataSet(const RunSpec& spec, const DataSetManifest& data)
{
    const DataSetShape shape = data.shape();
    if (const Diagnostics problems = dataSetProblems(spec, shape); !problems.empty())
        return toError(problems);
    return dataSetRemarks(spec, shape);
}

} // namespace trainyard
