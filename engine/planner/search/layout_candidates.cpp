#include "engine/planner/search/layout_candidates.h"

#include <algorithm>
#include <numeric>

#include "engine/spec/pipeline_rules.h"

namespace trainyard {

namespace {

constexpr int kMaxChunks = 4;
constexpr int kMaxMicro = 64;
constexpr int kMaxStages = 128;
constexpr int kMinContextTokens = 4096; ///< of a sequence on each rank

bool dividesModel(const ModelSpec& model, int tensor)
{
    return model.keyHeads() % tensor == 0 && model.hidden % tensor == 0 && model.intermediate % tensor == 0 &&
           (!model.experts.isOn() || model.expertWidth() % tensor == 0);
}

/// From stage 2 on a pipeline communicates in every pass: the search tries stage 3 where memory is short.
void addZeroStages(std::vector<RunSpec>& found, RunSpec spec)
{
    const int most = spec.layout.holders() == 1 ? 0 : spec.layout.pipeline > 1 ? 1 : 3;
    for (int stage = 0; stage <= most; ++stage) {
        spec.memory.zeroStage = stage;
        found.push_back(spec);
    }
}

void addSchedule(std::vector<RunSpec>& found, RunSpec spec, PipelineScheduleKind kind, int chunks)
{
    spec.layout.schedule = kind;
    spec.layout.virtualStages = chunks;
    if (spec.layout.stages() <= spec.model.layers && pipelineProblems(spec).empty())
        addZeroStages(found, spec);
}

/// GPipe idles no less than 1F1B and holds more, so it is for fewer micro-batches than stages.
void addSchedules(std::vector<RunSpec>& found, const RunSpec& spec)
{
    addSchedule(found, spec,
                spec.batch.accumulation < spec.layout.pipeline ? PipelineScheduleKind::GPipe
                                                               : PipelineScheduleKind::OneForwardOneBackward,
                1);
    if (spec.layout.pipeline == 1)
        return;
    for (int chunks = 2; chunks <= kMaxChunks; ++chunks)
        addSchedule(found, spec, PipelineScheduleKind::Interleaved, chunks);
    addSchedule(found, spec, PipelineScheduleKind::ZeroBubble, 1);
}

void addMicroBatches(std::vector<RunSpec>& found, RunSpec spec)
{
    if (spec.batch.global % spec.layout.data != 0)
        return;
    const int share = spec.batch.global / spec.layout.data;
    for (int micro = 1; micro <= kMaxMicro; ++micro) {
        if (share % micro != 0)
            continue;
        spec.batch.micro = micro;
        spec.batch.accumulation = share / micro;
        addSchedules(found, spec);
    }
}

/// Experts shared by one, two, four ... of the data-parallel ranks.
void addExpertRanks(std::vector<RunSpec>& found, RunSpec spec)
{
    const int most = std::gcd(spec.layout.data, std::max(1, spec.model.experts.count));
    for (int expert = 1; most % expert == 0; expert *= 2) {
        spec.layout.expert = expert;
        addMicroBatches(found, spec);
    }
}

bool mayShareTokens(const RunSpec& spec, const SequenceShape& shape, int context)
{
    const bool attendsAmongRanks = spec.model.window == 0 && spec.model.scoreCap == 0;
    return context == 1 || (attendsAmongRanks && shape.length / context >= kMinContextTokens);
}

/// Deals so many ranks to context and data parallelism.
void addReplicas(std::vector<RunSpec>& found, RunSpec spec, const SequenceShape& shape, int ranks)
{
    for (int context = 1; ranks % context == 0 && mayShareTokens(spec, shape, context); context *= 2) {
        spec.layout.context = context;
        spec.layout.data = ranks / context;
        addExpertRanks(found, spec);
    }
}

} // namespace

std::vector<RunSpec> layoutCandidates(const RunSpec& asked, const SequenceShape& shape, int devices,
                                      int devicesPerNode)
{
    std::vector<RunSpec> found;
    RunSpec spec = asked;
    spec.memory = {.offloadHorizon = asked.memory.offloadHorizon};
    spec.layout = {.placement = "PDT", .bucketSize = asked.layout.bucketSize};
    for (int tensor = 1; tensor <= devicesPerNode; ++tensor) {
        if (devicesPerNode % tensor != 0 || devices % tensor != 0 || !dividesModel(spec.model, tensor))
            continue;
        spec.layout.tensor = tensor;
        spec.layout.sequence = tensor > 1 && shape.length % tensor == 0;
        const int rest = devices / tensor;
        for (int pipeline = 1; pipeline <= std::min({rest, spec.model.layers, kMaxStages}); ++pipeline) {
            if (rest % pipeline != 0)
                continue;
            spec.layout.pipeline = pipeline;
            addReplicas(found, spec, shape, rest / pipeline);
        }
    }
    return found;
}

std::vector<RunSpec> memoryLadder(const RunSpec& candidate)
{
    // The search does not combine zero-bubble with recomputation; other schedules are tried with it.
    const bool recomputes = candidate.layout.schedule != PipelineScheduleKind::ZeroBubble;
    std::vector<RunSpec> ladder;
    RunSpec spec = candidate;
    for (const bool offloads : {false, true}) {
        spec.memory.offloadOptimizer = offloads;
        spec.memory.offloadActivations = false;
        spec.memory.recompute = RecomputeKind::None;
        ladder.push_back(spec);
        for (const RecomputeKind kind : {RecomputeKind::Selective, RecomputeKind::Full}) {
            spec.memory.recompute = recomputes ? kind : RecomputeKind::None;
            if (recomputes)
                ladder.push_back(spec);
        }
        spec.memory.offloadActivations = true;
        ladder.push_back(spec);
    }
    spec.memory.offloadParameters = true;
    if (spec.memory.zeroStage == 3)
        ladder.push_back(spec);
    return ladder;
}

} // namespace trainyard
