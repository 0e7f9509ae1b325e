#include "engine/nn/sequence_slice.h"

#include <algorithm>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

at::Tensor ofTokens(const at::Tensor& values_BS, const at::Tensor& positions_L)
{
    return values_BS.defined() ? values_BS.index_select(1, positions_L) : at::Tensor();
}

at::Tensor positionsOf(const SequenceSlice& slice, const at::TensorOptions& options)
{
    std::vector<at::Tensor> runs;
    for (const IndexRange& run : slice.positions)
        runs.push_back(at::arange(run.begin, run.end, options));
    return at::cat(runs);
}

// Where each position of a sequence lies in the slice; -1: not there.
at::Tensor placesOf(const SequenceSlice& slice, const at::TensorOptions& options)
{
    at::Tensor places = at::full({slice.length}, -1, options);
    return places.index_copy_(0, positionsOf(slice, options), at::arange(slice.size(), options));
}

// In its sequence's slice, for each target; in host memory. -1: not there.
at::Tensor targetPlaces(const TokenBatch& batch, const SequenceSlice& slice)
{
    const at::Tensor& positions = batch.targetPositionsOnHost();
    return placesOf(slice, positions.options()).index_select(0, positions.remainder(slice.length));
}

// What `batch` and its part of a run of tokens have in common: the chosen targets, at their places in the
// part.
void chooseTargets(TokenBatch& part, const TokenBatch& batch, const at::Tensor& chosen,
                   const at::Tensor& places)
{
    const auto toDevice = [&](const at::Tensor& values) {
        return values.to(batch.targets.device(), /*non_blocking=*/true);
    };
    part.hostTargetPositions = places.index_select(0, chosen);
    part.targetPositions = toDevice(part.hostTargetPositions);
    part.targets = batch.targets.index_select(0, toDevice(chosen));
}

// The sequences that lie in the run, or where there is filler alone that.
void choosePlaces(TokenBatch& part, const TokenBatch& batch, IndexRange tokens)
{
    const std::vector<SequencePlace> places = batch.places();
    const auto real = static_cast<std::size_t>(batch.sequences());
    for (std::size_t i = 0; i < places.size(); ++i) {
        const std::int64_t begin = std::max(tokens.begin, places[i].begin);
        const std::int64_t end = std::min(tokens.end, places[i].begin + places[i].length);
        if (begin >= end || (i >= real && !part.packedLengths.empty()))
            continue;
        if (part.packedLengths.empty())
            part.packedBefore = i < real ? begin - places[i].begin : 1;
        part.packedLengths.push_back(end - begin);
        part.sampleIndices.push_back(places[i].sample);
    }
}

// Of the samples, which are neighbours in the batch.
at::Tensor labelsOf(const TokenBatch& batch, const std::vector<std::uint64_t>& samples)
{
    if (samples.empty())
        return batch.sequenceLabels.narrow(0, 0, 0);
    const std::int64_t first =
        std::ranges::find(batch.sampleIndices, samples.front()) - batch.sampleIndices.begin();
    const std::int64_t labels = batch.sequenceLabels.size(0);
    const std::int64_t begin = std::min(first, labels);
    return batch.sequenceLabels.narrow(0, begin,
                                       std::min(static_cast<std::int64_t>(samples.size()), labels - begin));
}

TokenBatch packedSliceOf(const TokenBatch& batch, IndexRange tokens)
{
    const auto ofRun = [&](const at::Tensor& values_T) {
        return values_T.defined() ? values_T.narrow(0, tokens.begin, tokens.size()) : at::Tensor();
    };
    TokenBatch part;
    part.inputIds = ofRun(batch.inputIds);
    part.tokenTypeIds = ofRun(batch.tokenTypeIds);
    part.positionIds = ofRun(batch.positionIds);
    part.packedFrom = batch.packedFrom;
    choosePlaces(part, batch, tokens);
    const at::Tensor places = batch.targetPositionsOnHost() - tokens.begin;
    chooseTargets(part, batch, places.ge(0).logical_and(places.lt(tokens.size())).nonzero().view({-1}),
                  places);
    if (batch.sequenceLabels.defined())
        part.sequenceLabels = labelsOf(batch, part.samplesBegun());
    return part;
}

} // namespace

SequenceSlice sliceFor(const TokenBatch& batch, int rank, int ranks, bool causal)
{
    if (batch.isPacked())
        return SequenceSlice::ofContextRank(batch.tokens(), rank, ranks, /*causal=*/false);
    return SequenceSlice::ofContextRank(batch.sequenceLength(), rank, ranks, causal);
}

std::int64_t SequenceSlice::size() const
{
    std::int64_t tokens = 0;
    for (const IndexRange& run : positions)
        tokens += run.size();
    return tokens;
}

SequenceSlice SequenceSlice::ofContextRank(std::int64_t length, int rank, int ranks, bool causal)
{
    TRAINYARD_CHECK(length >= ranks);
    if (!causal)
        return {length, {evenShare(length, rank, ranks)}};
    const IndexRange early = evenShare(length, rank, 2 * ranks);
    const IndexRange late = evenShare(length, 2 * ranks - 1 - rank, 2 * ranks);
    if (late.size() == 0)
        return {length, {early}};
    if (early.end == late.begin)
        return {length, {{early.begin, late.end}}};
    return {length, {early, late}};
}

at::Tensor targetsIn(const TokenBatch& batch, const SequenceSlice& slice)
{
    return targetPlaces(batch, slice).ge(0).nonzero().view({-1});
}

TokenBatch sliceOf(const TokenBatch& batch, const SequenceSlice& slice)
{
    if (batch.isPacked())
        return packedSliceOf(batch, slice.positions.front());
    TRAINYARD_CHECK(batch.sequenceLength() == slice.length);
    const at::Tensor positions_L = positionsOf(slice, batch.inputIds.options());
    TokenBatch part;
    part.inputIds = ofTokens(batch.inputIds, positions_L);
    part.tokenTypeIds = ofTokens(batch.tokenTypeIds, positions_L);
    part.attentionMask = ofTokens(batch.attentionMask, positions_L);
    part.positionIds = batch.positionIds.defined() ? ofTokens(batch.positionIds, positions_L)
                                                   : positions_L.unsqueeze(0).expand({batch.sequences(), -1});
    const at::Tensor chosen = targetsIn(batch, slice);
    const at::Tensor sequences = batch.targetPositionsOnHost().floor_divide(slice.length);
    chooseTargets(part, batch, chosen, sequences * slice.size() + targetPlaces(batch, slice));
    if (batch.sequenceLabels.defined())
        part.sequenceLabels =
            batch.sequenceLabels.narrow(0, 0, slice.hasFirst() ? batch.sequenceLabels.size(0) : 0);
    part.sampleIndices = batch.sampleIndices;
    return part;
}

} // namespace trainyard
