#include "tests/support/schedule/rank_check.h"

#include <map>

#include <fmt/format.h>

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

/// What the action does, with a whole backward pass as its two halves.
ActionList partsOf(const PipelineAction& action)
{
    if (action.kind != Kind::Backward)
        return {action};
    return {{Kind::BackwardInput, action.microBatch, action.chunk},
            {Kind::BackwardWeight, action.microBatch, action.chunk}};
}

/// All parts that one micro-batch takes in one chunk, in an order that works.
ActionList partsOfPasses(const PipelineShape& shape, int rank, int microBatch, int chunk)
{
    ActionList parts;
    if (shape.hasPeerBefore(rank, chunk))
        parts.push_back({Kind::ReceiveActivation, microBatch, chunk});
    parts.push_back({Kind::Forward, microBatch, chunk});
    if (shape.hasPeerAfter(rank, chunk)) {
        parts.push_back({Kind::SendActivation, microBatch, chunk});
        parts.push_back({Kind::ReceiveGradient, microBatch, chunk});
    }
    parts.push_back({Kind::BackwardInput, microBatch, chunk});
    if (shape.hasPeerBefore(rank, chunk))
        parts.push_back({Kind::SendGradient, microBatch, chunk});
    parts.push_back({Kind::BackwardWeight, microBatch, chunk});
    return parts;
}

ActionList neededForward(const PipelineShape& shape, int rank, const PipelineAction& action)
{
    const auto [kind, microBatch, chunk] = action;
    if (shape.hasPeerBefore(rank, chunk))
        return {{Kind::ReceiveActivation, microBatch, chunk}};
    if (shape.stageOf(rank, chunk) > 0)
        return {{Kind::Forward, microBatch, chunk - 1}};
    return {};
}

ActionList neededBackward(const PipelineShape& shape, int rank, const PipelineAction& action)
{
    const auto [kind, microBatch, chunk] = action;
    ActionList needed{{Kind::Forward, microBatch, chunk}};
    if (shape.hasPeerAfter(rank, chunk))
        needed.push_back({Kind::ReceiveGradient, microBatch, chunk});
    else if (shape.stageOf(rank, chunk) < shape.stages() - 1)
        needed.push_back({Kind::BackwardInput, microBatch, chunk + 1});
    return needed;
}

ActionList neededReduction(const PipelineShape& shape, int chunk)
{
    ActionList needed;
    for (int m = 0; m < shape.microBatches; ++m)
        needed.push_back({Kind::BackwardWeight, m, chunk});
    return needed;
}

ActionList neededStep(const PipelineShape& shape)
{
    ActionList needed;
    for (int chunk = 0; chunk < shape.chunks; ++chunk)
        needed.push_back({Kind::ReduceGradients, -1, chunk});
    return needed;
}

/// The parts that have to stand before this action on its own rank.
ActionList neededBefore(const PipelineShape& shape, int rank, const PipelineAction& action)
{
    const auto [kind, microBatch, chunk] = action;
    switch (kind) {
    case Kind::Forward:
        return neededForward(shape, rank, action);
    case Kind::Backward:
    case Kind::BackwardInput:
        return neededBackward(shape, rank, action);
    case Kind::BackwardWeight:
    case Kind::SendGradient:
        return {{Kind::BackwardInput, microBatch, chunk}};
    case Kind::SendActivation:
        return {{Kind::Forward, microBatch, chunk}};
    case Kind::ReduceGradients:
        return neededReduction(shape, chunk);
    case Kind::OptimizerStep:
        return neededStep(shape);
    case Kind::ReceiveActivation:
    case Kind::ReceiveGradient:
        return {};
    }
    return {};
}

class RankCheck {
public:
    RankCheck(const PipelineShape& shape, int rank) : m_shape(shape), m_rank(rank)
    {
        for (int chunk = 0; chunk < shape.chunks; ++chunk) {
            for (int m = 0; m < shape.microBatches; ++m)
                expect(partsOfPasses(shape, rank, m, chunk));
        }
        expect(neededStep(shape));
        expect({kStep});
    }

    Status take(const PipelineAction& action)
    {
        for (const PipelineAction& part : partsOf(action)) {
            const auto expected = m_done.find(part);
            if (expected == m_done.end())
                return wrong(action, "does not belong to this pipeline");
            if (expected->second)
                return wrong(action, "appears twice");
        }
        if (m_done[kStep])
            return wrong(action, "comes after the step");
        for (const PipelineAction& needed : neededBefore(m_shape, m_rank, action)) {
            if (!m_done[needed])
                return wrong(action, "comes before " + nameOf(needed));
        }
        for (const PipelineAction& part : partsOf(action))
            m_done[part] = true;
        return {};
    }

    Status finish() const
    {
        for (const auto& [part, done] : m_done) {
            if (!done)
                return badInput(fmt::format("rank {}: {} is missing", m_rank, nameOf(part)));
        }
        return {};
    }

private:
    static constexpr PipelineAction kStep{Kind::OptimizerStep, -1, -1};

    void expect(const ActionList& parts)
    {
        for (const PipelineAction& part : parts)
            m_done[part] = false;
    }

    /// A backward pass of which neither half was there is most likely missing as a whole.
    std::string nameOf(const PipelineAction& part) const
    {
        const auto [kind, microBatch, chunk] = part;
        const bool half = kind == Kind::BackwardInput || kind == Kind::BackwardWeight;
        if (half && !m_done.at({Kind::BackwardInput, microBatch, chunk}))
            return toText({Kind::Backward, microBatch, chunk}, m_shape);
        return toText(part, m_shape);
    }

    Error wrong(const PipelineAction& action, const std::string& what) const
    {
        return badInput(fmt::format("rank {}: {} {}", m_rank, toText(action, m_shape), what));
    }

    const PipelineShape m_shape;
    const int m_rank;
    std::map<PipelineAction, bool> m_done; ///< every part that the rank has to do
};

} // namespace

Status checkRank(const PipelineShape& shape, int rank, const ActionList& list)
{
    RankCheck check(shape, rank);
    for (const PipelineAction& action : list)
        TRAINYARD_TRY_STATUS(check.take(action));
    return check.finish();
}

} // namespace trainyard
