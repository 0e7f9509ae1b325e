#include "engine/planner/pipeline/pipeline_schedule.h"

#include "engine/base/check.h"

namespace trainyard {

using Kind = PipelineActionKind;

bool isSend(Kind kind)
{
    return kind == Kind::SendActivation || kind == Kind::SendGradient;
}

bool isReceive(Kind kind)
{
    return kind == Kind::ReceiveActivation || kind == Kind::ReceiveGradient;
}

int peerOf(const PipelineShape& shape, int rank, const PipelineAction& transfer)
{
    TRAINYARD_CHECK(isSend(transfer.kind) || isReceive(transfer.kind));
    const bool after = transfer.kind == Kind::SendActivation || transfer.kind == Kind::ReceiveGradient;
    return (rank + (after ? 1 : shape.ranks - 1)) % shape.ranks;
}

PipelineAction receiveFor(const PipelineShape& shape, int rank, const PipelineAction& send)
{
    TRAINYARD_CHECK(isSend(send.kind));
    const int stage = shape.stageOf(rank, send.chunk);
    if (send.kind == Kind::SendActivation)
        return {Kind::ReceiveActivation, send.microBatch, (stage + 1) / shape.ranks};
    return {Kind::ReceiveGradient, send.microBatch, (stage - 1) / shape.ranks};
}

} // namespace trainyard
