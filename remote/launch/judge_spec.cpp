#include "remote/launch/judge_spec.h"

#include <algorithm>
#include <iterator>

#include "engine/planner/explain/plan_problems.h"
#include "engine/planner/explain/precision_remarks.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/spec/elastic.h"
#include "engine/spec/phases/data_mix_rules.h"

namespace trainyard {

namespace {

SequenceShape shapeOf(const DataSetManifest& data)
{
    return {data.sequenceLength, data.maxPredictions};
}

/// Of each pipeline rank, on the device that ranks get on these hosts: as planProblems() asks.
std::vector<MemoryByCategory> memoryOn(const std::vector<HostMemory>& hosts, RunSpec spec,
                                       const DataSetManifest& data)
{
    spec.launch.device = resolvedDevice(spec.launch.device, hosts);
    return memoryOfPipelineRanks(spec, shapeOf(data), productsOn(spec, hosts));
}

bool fitsHosts(const RunSpec& spec, const DataSetManifest& data, const std::vector<HostMemory>& hosts)
{
    return !memoryShortage(spec.layout, hosts, memoryOn(hosts, spec, data));
}

/// Wherever they are: which hosts an elastic run loses nobody knows.
bool everyRankFitsEveryHost(const RunSpec& spec, const DataSetManifest& data,
                            const std::vector<HostMemory>& hosts)
{
    const auto pipelineRanks = memoryOn(hosts, spec, data);
    return std::ranges::all_of(hosts, [&](const HostMemory& host) {
        return std::ranges::all_of(pipelineRanks,
                                   [&](const MemoryByCategory& bytes) { return host.holds(needOf(bytes)); });
    });
}

/// Of a specification that agrees with its data sets: what is left is that ranks do not fit.
Error explainedMemory(const RunSpec& spec, const std::vector<DataSetManifest>& data,
                      const MemoryOfNode& memory)
{
    const PlanFacts facts{shapeOf(data.front()), mixedShape(spec.dataset, shapesOf(data)),
                          [&](const RunSpec& each) { return memoryOfHosts(each, memory); }};
    const auto explained = explainPlan(spec, facts);
    TRAINYARD_CHECK(!explained.empty());
    return explained.front().error();
}

} // namespace

Result<Diagnostics> judgeSpec(const RunSpec& spec, const DataSetManifest& data,
                              const std::vector<NodeMemory>& memory)
{
    return judgeSpec(spec, std::vector{data}, memory);
}

Result<Diagnostics> judgeSpec(const RunSpec& spec, const std::vector<DataSetManifest>& data,
                              const std::vector<NodeMemory>& memory)
{
    TRAINYARD_TRY(Diagnostics remarks, judgeDataSets(spec, data));
    const auto ofNode = [&](std::size_t node) { return memory[node]; };
    TRAINYARD_TRY_STATUS(haveDevices(spec, ofNode));
    const std::vector<HostMemory> hosts = memoryOfHosts(spec, ofNode);
    if (!fitsHosts(spec, data.front(), hosts))
        return explainedMemory(spec, data, ofNode);
    std::ranges::move(precisionRemarks(spec, hosts), std::back_inserter(remarks));
    return remarks;
}

int leastReplicas(const RunSpec& spec, const DataSetManifest& data, const std::vector<NodeMemory>& memory)
{
    const auto hosts = memoryOfHosts(spec, [&](std::size_t node) { return memory[node]; });
    int least = spec.layout.data;
    for (int replicas = least - 1; replicas > 0; --replicas) {
        const auto smaller = withReplicas(spec, replicas);
        if (!smaller.ok())
            continue;
        const bool fits = everyRankFitsEveryHost(*smaller, data, hosts);
        if (fits)
            least = replicas;
        else if (smaller->layout.expert == spec.layout.expert && smaller->layout.shard == spec.layout.shard)
            break; // fewer need more; of those that share experts or states otherwise some may need less
    }
    return least;
}

Status judgeEvaluatedDataSet(const RunSpec& spec, const DataSetManifest& evaluated, int trainingLength)
{
    const Diagnostics problems = evaluationDataProblems(spec, evaluated.shape(), trainingLength);
    return problems.empty() ? Status() : toError(problems);
}

Result<Diagnostics> judgeDataSets(const RunSpec& spec, const std::vector<DataSetManifest>& data)
{
    const std::vector<DataSetShape> shapes = shapesOf(data);
    if (const Diagnostics problems = mixProblems(spec, shapes); !problems.empty())
        return toError(problems);
    return mixRemarks(spec, shapes);
}

} // namespace trainyard
