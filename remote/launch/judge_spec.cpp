#include "remote/launch/judge_spec.h"

#include "engine/planner/memory_fit.h"
#include "engine/planner/memory_model.h"
#include "engine/spec/data_set_rules.h"

namespace trainyard {

Result<Diagnostics> judgeSpec(const RunSpec& spec, const DataSetManifest& data,
                              const std::vector<Bytes>& mainMemory)
{
    const DataSetShape shape{data.vocabularySize, data.sequenceLength, data.trainingRows};
    if (const Diagnostics problems = dataSetProblems(spec, shape); !problems.empty())
        return toError(problems);
    const auto hosts = memoryOfHosts(spec, [&](std::size_t node) {
        return mainMemory[node] > 0 ? std::optional(mainMemory[node]) : std::nullopt;
    });
    const MemoryEstimate planned = estimateMemory(spec, {data.sequenceLength, data.maxPredictions});
    TRAINYARD_TRY_STATUS(fitsMemory(hosts, planned.total()));
    return dataSetRemarks(spec, shape);
}

} // namespace trainyard
