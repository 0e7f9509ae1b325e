#include "engine/planner/pipeline/compute_order.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

std::size_t indexOf(int i)
{
    return static_cast<std::size_t>(i);
}

/// Micro-batches one by one through the only chunk.
ActionList passes(Kind kind, int microBatches)
{
    ActionList list;
    for (int m = 0; m < microBatches; ++m)
        list.push_back({kind, m, 0});
    return list;
}

ActionList gpipe(const PipelineShape& shape)
{
    ActionList list = passes(Kind::Forward, shape.microBatches);
    const ActionList backward = passes(Kind::Backward, shape.microBatches);
    list.insert(list.end(), backward.begin(), backward.end());
    return list;
}

/// `warmup` forward passes, then one forward and one backward pass in turn, then what is left.
ActionList inTurn(const ActionList& forward, const ActionList& backward, int warmup)
{
    const std::size_t ahead = std::min(indexOf(warmup), forward.size());
    ActionList list(forward.begin(), forward.begin() + static_cast<std::ptrdiff_t>(ahead));
    for (std::size_t i = 0; i < backward.size(); ++i) {
        if (ahead + i < forward.size())
            list.push_back(forward[ahead + i]);
        list.push_back(backward[i]);
    }
    return list;
}

ActionList oneForwardOneBackward(const PipelineShape& shape, int rank)
{
    return inTurn(passes(Kind::Forward, shape.microBatches), passes(Kind::Backward, shape.microBatches),
                  shape.ranks - rank - 1);
}

/// Sizes of the groups of micro-batches that go through one chunk after another; each is at least p.
std::vector<int> groupSizes(const PipelineShape& shape)
{
    const int groups = shape.microBatches / shape.ranks;
    std::vector<int> sizes(indexOf(groups), shape.microBatches / groups);
    for (int i = 0; i < shape.microBatches % groups; ++i)
        ++sizes[indexOf(i)];
    return sizes;
}

ActionList groupedPasses(Kind kind, const std::vector<int>& groups, const PipelineShape& shape)
{
    ActionList list;
    int first = 0;
    for (const int size : groups) {
        for (int i = 0; i < shape.chunks; ++i) {
            const int chunk = kind == Kind::Forward ? i : shape.chunks - 1 - i;
            for (int m = first; m < first + size; ++m)
                list.push_back({kind, m, chunk});
        }
        first += size;
    }
    return list;
}

ActionList interleaved(const PipelineShape& shape, int rank)
{
    const std::vector<int> groups = groupSizes(shape);
    // As many forward passes ahead as the first backward pass needs: the way to the last rank and back, two
    // passes per rank behind this one, and all earlier chunks of the first group.
    return inTurn(groupedPasses(Kind::Forward, groups, shape), groupedPasses(Kind::Backward, groups, shape),
                  2 * (shape.ranks - rank - 1) + (shape.chunks - 1) * groups.front());
}

/// In place of a backward pass: its input gradient, and the weight gradient of `rank` micro-batches earlier.
ActionList zeroBubble(const PipelineShape& shape, int rank)
{
    ActionList list;
    for (const PipelineAction& action : oneForwardOneBackward(shape, rank)) {
        if (action.kind == Kind::Forward) {
            list.push_back(action);
            continue;
        }
        list.push_back({Kind::BackwardInput, action.microBatch, 0});
        // Ranks before this one wait for input gradients, nobody for weight gradients. Rank r puts off r of
        // them to its end, where it would idle while the ranks before it finish.
        if (action.microBatch >= rank)
            list.push_back({Kind::BackwardWeight, action.microBatch - rank, 0});
    }
    for (int m = std::max(0, shape.microBatches - rank); m < shape.microBatches; ++m)
        list.push_back({Kind::BackwardWeight, m, 0});
    return list;
}

} // namespace

ActionList computeOrder(PipelineScheduleKind kind, const PipelineShape& shape, int rank)
{
    switch (kind) {
    case PipelineScheduleKind::GPipe:
        return gpipe(shape);
    case PipelineScheduleKind::OneForwardOneBackward:
        return oneForwardOneBackward(shape, rank);
    case PipelineScheduleKind::Interleaved:
        return interleaved(shape, rank);
    case PipelineScheduleKind::ZeroBubble:
        return zeroBubble(shape, rank);
    }
    TRAINYARD_CHECK_MSG(false, "unknown schedule");
    return {};
}

} // namespace trainyard
