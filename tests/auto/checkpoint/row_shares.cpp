#include "tests/auto/checkpoint/row_shares.h"

#include <algorithm>

#include "engine/base/check.h"

namespace trainyard {

namespace {

// Rows of a tensor (a scalar is one row) that lie before a byte position.
std::int64_t rowsBefore(std::uint64_t position, std::uint64_t tensorStart, std::int64_t rows,
                        std::uint64_t rowBytes)
{
    if (position <= tensorStart)
        return 0;
    const std::uint64_t full = (position - tensorStart + rowBytes - 1) / rowBytes;
    return static_cast<std::int64_t>(std::min(full, static_cast<std::uint64_t>(rows)));
}

SliceToSave rowsOf(const TensorBytes& tensor, std::int64_t begin, std::int64_t end, std::uint64_t rowBytes)
{
    SliceToSave slice{tensor, tensor.shape, std::vector<std::int64_t>(tensor.shape.size(), 0)};
    if (tensor.shape.empty())
        return slice;
    slice.begin[0] = begin;
    slice.values.shape[0] = end - begin;
    slice.values.bytes = tensor.bytes.subspan(static_cast<std::uint64_t>(begin) * rowBytes,
                                              static_cast<std::uint64_t>(end - begin) * rowBytes);
    return slice;
}

} // namespace

// All tensors laid end to end are cut into `count` pieces of equal bytes; a cut moves up to the next row.
std::vector<SliceToSave> shareOf(const std::vector<TensorBytes>& tensors, int index, int count)
{
    TRAINYARD_CHECK(index >= 0 && index < count);
    std::uint64_t total = 0;
    for (const TensorBytes& tensor : tensors)
        total += tensor.bytes.size();
    const auto cut = [&](int shard) {
        return total / static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(shard);
    };
    const std::uint64_t first = cut(index);
    const std::uint64_t last = index + 1 == count ? total : cut(index + 1);

    std::vector<SliceToSave> share;
    std::uint64_t start = 0;
    for (const TensorBytes& tensor : tensors) {
        const std::int64_t rows = tensor.shape.empty() ? 1 : tensor.shape[0];
        const std::uint64_t rowBytes = rows == 0 ? 0 : tensor.bytes.size() / static_cast<std::uint64_t>(rows);
        if (tensor.bytes.empty()) {
            if (index == 0) // no byte position decides where it falls
                share.push_back(rowsOf(tensor, 0, rows, rowBytes));
            continue;
        }
        const std::int64_t begin = rowsBefore(first, start, rows, rowBytes);
        const std::int64_t end = rowsBefore(last, start, rows, rowBytes);
        if (begin < end)
            share.push_back(rowsOf(tensor, begin, end, rowBytes));
        start += tensor.bytes.size();
    }
    return share;
}

} // namespace trainyard
