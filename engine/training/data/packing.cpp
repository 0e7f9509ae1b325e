#include "engine/training/data/packing.h"

#include <algorithm>
#include <numeric>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/tensor.h>
#include <fmt/format.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// Returns the flat indices of the rows' tokens.
at::Tensor keptOf(const std::vector<std::int64_t>& lengths, std::int64_t rowLength)
{
    std::vector<at::Tensor> rows;
    for (std::size_t row = 0; row < lengths.size(); ++row) {
        const std::int64_t first = static_cast<std::int64_t>(row) * rowLength;
        rows.push_back(at::arange(first, first + lengths[row], at::kLong));
    }
    return at::cat(rows);
}

/// Returns for each row how far its tokens move to the front: the padding before it.
at::Tensor shiftsOf(const std::vector<std::int64_t>& lengths, std::int64_t rowLength)
{
    std::vector<std::int64_t> shifts;
    std::int64_t shift = 0;
    for (const std::int64_t length : lengths) {
        shifts.push_back(shift);
        shift += rowLength - length;
    }
    return at::tensor(shifts, at::kLong);
}

} // namespace

Result<std::vector<std::int64_t>> tokensPerRow(const RowBlock& rows)
{
    std::vector<std::int64_t> lengths;
    for (std::size_t row = 0; row < rows.rows; ++row) {
        const auto begin = rows.inputMask.begin() + static_cast<std::ptrdiff_t>(row) * rows.sequenceLength;
        const auto end = begin + rows.sequenceLength;
        const auto padding = std::find(begin, end, 0);
        if (std::find_if(padding, end, [](auto value) { return value != 0; }) != end)
            return badInput("a row of the data set has padding between its tokens, and cannot be packed",
                            "check it with `trainyard verify`, or remove batch.packing");
        lengths.push_back(padding - begin);
    }
    return lengths;
}

TokenBatch packed(const TokenBatch& batch, const std::vector<std::int64_t>& lengths, std::int64_t multiple)
{
    const std::int64_t rowLength = batch.sequenceLength();
    TRAINYARD_CHECK(!batch.isPacked() && lengths.size() == static_cast<std::size_t>(batch.sequences()));
    const at::Tensor kept = keptOf(lengths, rowLength);
    const std::int64_t filler = (multiple - kept.numel() % multiple) % multiple;
    const auto withFiller = [&](const at::Tensor& values_T) {
        return at::constant_pad_nd(values_T, {0, filler});
    };
    const auto keptFrom = [&](const at::Tensor& values_BS) {
        return values_BS.defined() ? withFiller(values_BS.reshape({-1}).index_select(0, kept)) : values_BS;
    };
    TokenBatch result = batch;
    result.inputIds = keptFrom(batch.inputIds);
    result.tokenTypeIds = keptFrom(batch.tokenTypeIds);
    result.attentionMask = at::Tensor();
    result.positionIds = withFiller(kept.remainder(rowLength));
    const at::Tensor rowOfTarget = batch.targetPositions.floor_divide(rowLength);
    result.targetPositions =
        batch.targetPositions - shiftsOf(lengths, rowLength).index_select(0, rowOfTarget);
    result.packedLengths = lengths;
    result.packedFrom = rowLength;
    return result;
}

std::int64_t packingMultiple(const ParallelLayout& layout)
{
    return layout.context * (layout.sequence ? layout.tensor : 1);
}

} // namespace trainyard
