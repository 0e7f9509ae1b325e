#include <ATen/ops/searchsorted.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "engine/nn/families/model_head.h"

namespace trainyard {

namespace {

/// The sequence that each target belongs to.
at::Tensor sequencesOfTargets(const TokenBatch& batch)
{
    if (!batch.isPacked())
        return batch.targetPositions.floor_divide(batch.sequenceLength());
    const at::Tensor ends = at::tensor(batch.packedLengths, at::kLong).cumsum(0);
    return at::searchsorted(ends.to(batch.targetPositions.device()), batch.targetPositions,
                            /*out_int32=*/false, /*right=*/true);
}

/// Where in its whole sequence each target is. Slices and packed batches have positions.
at::Tensor placesOfTargets(const TokenBatch& batch)
{
    if (!batch.positionIds.defined())
        return batch.targetPositions.remainder(batch.sequenceLength());
    return batch.positionIds.reshape({-1}).index_select(0, batch.targetPositions);
}

at::Tensor tagPredictions(const at::Tensor& logits_MC, const ForwardPass& pass)
{
    const std::int64_t length = pass.slice.length;
    const at::Tensor classes_M = logits_MC.argmax(-1);
    const at::Tensor places_M = sequencesOfTargets(pass.batch) * length + placesOfTargets(pass.batch);
    at::Tensor all = at::zeros({pass.batch.sequences() * length}, classes_M.options());
    return all.index_copy_(0, places_M, classes_M).view({-1, length});
}

at::Tensor predictionsOf(const TaskSpec& task, const Logits& logits, const ForwardPass& pass)
{
    switch (task.kind) {
    case TaskKind::Tag:
        return tagPredictions(logits.tokens, pass);
    case TaskKind::Answer:
        return logits.sequences.flatten(1);
    case TaskKind::Regress:
        return logits.sequences;
    default:
        return logits.sequences.argmax(-1, /*keepdim=*/true);
    }
}

} // namespace

at::Tensor taskPredictions(const TaskSpec& task, const Logits& logits, const ForwardPass& pass)
{
    const at::Tensor& outputs = task.judgesSequences() ? logits.sequences : logits.tokens;
    const bool isDouble = outputs.scalar_type() == at::kDouble;
    const at::Tensor predictions = predictionsOf(task, logits, pass).to(isDouble ? at::kDouble : at::kFloat);
    return predictions.reshape({pass.batch.sequences(), predictions.numel() / pass.batch.sequences()});
}

std::int64_t predictionsPerRow(const TaskSpec& task, std::int64_t sequenceLength)
{
    switch (task.kind) {
    case TaskKind::Classify:
    case TaskKind::Regress:
        return 1;
    case TaskKind::Tag:
        return sequenceLength;
    case TaskKind::Answer:
        return 2 * sequenceLength;
    case TaskKind::None:
    case TaskKind::Complete:
        break;
    }
    return 0;
}

} // namespace trainyard
