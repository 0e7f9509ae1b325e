#include "engine/planner/pipeline/pipeline_schedule.h"

#include <array>
#include <string_view>

#include "engine/base/check.h"

namespace trainyard {

using Kind = PipelineActionKind;

namespace {

/// The text around a micro-batch.
struct Spelling {
    std::string_view before;
    std::string_view behind;
};

/// In the order of the kinds.
constexpr std::array kSpellings{
    Spelling{"F", ""},      // Forward
    Spelling{"B", ""},      // Backward
    Spelling{"I", ""},      // BackwardInput
    Spelling{"W", ""},      // BackwardWeight
    Spelling{"F", ">"},     // SendActivation
    Spelling{">F", ""},     // ReceiveActivation
    Spelling{"B", ">"},     // SendGradient
    Spelling{">B", ""},     // ReceiveGradient
    Spelling{"reduce", ""}, // ReduceGradients
    Spelling{"step", ""},   // OptimizerStep
};

} // namespace

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

std::string toText(const PipelineAction& action, const PipelineShape& shape)
{
    const Spelling& spelling = kSpellings[static_cast<std::size_t>(action.kind)];
    std::string text(spelling.before);
    if (action.kind != Kind::ReduceGradients && action.kind != Kind::OptimizerStep)
        text += std::to_string(action.microBatch);
    if (shape.chunks > 1 && action.kind != Kind::OptimizerStep)
        text += "." + std::to_string(action.chunk);
    return text += spelling.behind;
}

} // namespace trainyard
