#include "engine/planner/memory/in_flight_micro_batches.h"

#include <algorithm>

namespace trainyard {

namespace {

/// Of a schedule without chunks.
int heldMicroBatches(const RunSpec& spec, int pipelineRank)
{
    const int ranks = spec.layout.pipeline;
    if (ranks == 1)
        return 1;
    if (spec.layout.schedule == PipelineScheduleKind::GPipe)
        return spec.batch.accumulation;
    return std::min(ranks - pipelineRank, spec.batch.accumulation);
}

} // namespace

// Groups of micro-batches go through one chunk after another.
std::vector<Bytes> inFlightMicroBatches(const RunSpec& spec, int pipelineRank)
{
    const int ranks = spec.layout.pipeline;
    const int chunks = ranks == 1 ? 1 : spec.layout.virtualStages;
    const int microBatches = spec.batch.accumulation;
    if (ranks == 1 || spec.layout.schedule != PipelineScheduleKind::Interleaved)
        return std::vector(static_cast<std::size_t>(chunks),
                           static_cast<Bytes>(heldMicroBatches(spec, pipelineRank)));
    const int groups = std::max(1, microBatches / ranks);
    const int group = (microBatches + groups - 1) / groups;
    const int passes = 2 * (ranks - pipelineRank - 1) + (chunks - 1) * group + 1;
    std::vector<Bytes> held(static_cast<std::size_t>(chunks));
    for (int chunk = 0; chunk < chunks; ++chunk) {
        const int rounds = passes / (group * chunks);
        const int left = std::clamp(passes % (group * chunks) - chunk * group, 0, group);
        held[static_cast<std::size_t>(chunk)] =
            static_cast<Bytes>(std::min(rounds * group + left, microBatches));
    }
    return held;
}

Bytes pendingMicroBatches(const RunSpec& spec, int pipelineRank)
{
    if (spec.layout.schedule != PipelineScheduleKind::ZeroBubble || spec.layout.pipeline == 1)
        return 0;
    const int held = std::min(spec.layout.pipeline, spec.batch.accumulation);
    return static_cast<Bytes>(held - heldMicroBatches(spec, pipelineRank));
}

} // namespace trainyard
