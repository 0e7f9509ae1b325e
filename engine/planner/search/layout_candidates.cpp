#include "engine/planner/search/layout_candidates.h"

#include <algorithm>

#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

constexpr int kMostChunks = 4;
constexpr int kMostMicro = 64;
constexpr int kMostStages = 128;

bool dividesModel(const ModelSpec& model, int tensor)
{
    return model.heads % tensor == 0 && model.hidden % tensor == 0 && model.intermediate % tensor == 0;
}

/// A pipeline of so many ranks and chunks, as RunSpec has it.
void setPipeline(ParallelLayout& layout, int pipeline, int chunks)
{
    layout.pipeline = pipeline;
    layout.virtualStages = chunks;
    layout.schedule =
        chunks > 1 ? PipelineScheduleKind::Interleaved : PipelineScheduleKind::OneForwardOneBackward;
}

void addZeroStages(std::vector<RunSpec>& found, RunSpec spec)
{
    const int most = spec.layout.data == 1 ? 0 : spec.layout.pipeline > 1 ? 1 : 3;
    for (int stage = 0; stage <= most; ++stage) {
        spec.memory.zeroStage = stage;
        found.push_back(spec);
    }
}

void addChunks(std::vector<RunSpec>& found, RunSpec spec)
{
    const int most = spec.layout.pipeline > 1 ? kMostChunks : 1;
    for (int chunks = 1; chunks <= most; ++chunks) {
        setPipeline(spec.layout, spec.layout.pipeline, chunks);
        if (spec.layout.stages() <= spec.model.layers && pipelineProblems(spec).empty())
            addZeroStages(found, spec);
    }
}

void addMicroBatches(std::vector<RunSpec>& found, RunSpec spec)
{
    if (spec.batch.global % spec.layout.data != 0)
        return;
    const int share = spec.batch.global / spec.layout.data;
    for (int micro = 1; micro <= kMostMicro && share % micro == 0; micro *= 2) {
        spec.batch.micro = micro;
        spec.batch.accumulation = share / micro;
        addChunks(found, spec);
    }
}

} // namespace

std::vector<RunSpec> layoutCandidates(const RunSpec& asked, const SequenceShape& shape, int devices,
                                      int devicesPerNode)
{
    std::vector<RunSpec> found;
    RunSpec spec = asked;
    spec.memory = {};
    spec.layout = {};
    spec.layout.placement = "PDT";
    for (int tensor = 1; tensor <= devicesPerNode; ++tensor) {
        if (devicesPerNode % tensor != 0 || devices % tensor != 0 || !dividesModel(spec.model, tensor))
            continue;
        spec.layout.tensor = tensor;
        spec.layout.sequence = tensor > 1 && shape.length % tensor == 0;
        const int rest = devices / tensor;
        for (int pipeline = 1; pipeline <= std::min({rest, spec.model.layers, kMostStages}); ++pipeline) {
            if (rest % pipeline != 0)
                continue;
            setPipeline(spec.layout, pipeline, 1);
            spec.layout.data = rest / pipeline;
            addMicroBatches(found, spec);
        }
    }
    return found;
}

std::vector<RunSpec> memoryLadder(const RunSpec& candidate)
{
    std::vector<RunSpec> ladder;
    RunSpec spec = candidate;
    for (const RecomputeKind kind : {RecomputeKind::None, RecomputeKind::Selective, RecomputeKind::Full}) {
        spec.memory.recompute = kind;
        ladder.push_back(spec);
    }
    spec.memory.offloadActivations = true;
    ladder.push_back(spec);
    spec.memory.offloadOptimizer = true;
    ladder.push_back(spec);
    return ladder;
}

} // namespace trainyard
