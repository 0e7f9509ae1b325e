#pragma once

#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A measured training step and its specification.
struct MeasuredRow {
    RunSpec spec;
    SequenceShape shape;
    double seconds = 0;   ///< of one optimizer step
    std::size_t line = 0; ///< of the file, from 1
};

/// Reads comma-separated rows under a heading, in any order of columns:
///     # GPUs, global batch, micro batch, hidden size, attention heads, # layers, sequence length,
///     tensor parallelism, data parallelism, pipeline parallelism, iteration time (ms)
/// Other columns are ignored. Each row is a GPT of Megatron's in float16 with all layers recomputed, ranks in
/// Megatron's order (tensor, data, pipeline), 1F1B where there are enough micro-batches for it, else GPipe,
/// which then takes as long. Files of this kind do not name the vocabulary: GPT-2's, padded to a multiple of
/// 128 t where t tensor-parallel ranks share it, bare where it is whole. BadInput names the line and the
/// column, or all columns that are missing. Every row passes validate(); otherwise the error has validate()'s
/// kind.
Result<std::vector<MeasuredRow>> parseMeasuredRows(std::string_view csv);

} // namespace trainyard
