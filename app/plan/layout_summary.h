#pragma once

#include <QString>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// "16 x 2 interleaved": ranks, chunks where there are several, schedule; "1" without a pipeline.
QString pipelineLabel(const ParallelLayout& layout);
/// "data 16 · tensor 4 · pipeline 2 1f1b · micro-batch 2 x 8": degrees above 1, micro-batch and accumulation.
QString layoutSummary(const RunSpec& spec);
/// "ZeRO 1, selective recomputation, optimizer offloaded"; empty = nothing is done about memory.
QString memoryMeasures(const MemorySpec& memory);

} // namespace trainyard
