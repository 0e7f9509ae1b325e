#include <algorithm>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/mm.h>

#include "engine/nn/fused/number.h"
#include "engine/nn/fused/processor_compute.h"
#include "engine/nn/parameters/gradient_collector.h"

namespace trainyard {

namespace {

constexpr std::int64_t kDepth = 1024;

// A product in another type than its place's is formed in pieces of about this many elements,
// which stay in the cache on their way.
constexpr std::int64_t kPieceElements = 1 << 20;

void putInPieces(const GradientPlace& place, const at::Tensor& left, const at::Tensor& right)
{
    const std::int64_t rows = left.size(0);
    // At least 256 rows, or the product would be too flat for its kernel.
    const std::int64_t step = std::max<std::int64_t>(256, kPieceElements / right.size(1));
    for (std::int64_t row = 0; row < rows; row += step) {
        const std::int64_t count = std::min(step, rows - row);
        const GradientPlace piece{place.values.narrow(0, row, count), place.isFilled};
        piece.put(at::mm(left.narrow(0, row, count), right));
    }
}

template <typename T>
void addRows(Wide<T>* table, const T* rows, const at::Tensor& ids, std::int64_t padding, std::int64_t width,
             std::int64_t firstColumn, std::int64_t endColumn)
{
    const auto* row = ids.const_data_ptr<std::int64_t>();
    for (std::int64_t i = 0; i < ids.numel(); ++i) {
        // As at::embedding: the padding word learns nothing.
        if (row[i] == padding)
            continue;
        Wide<T>* to = table + row[i] * width;
        const T* from = rows + i * width;
        for (std::int64_t column = firstColumn; column < endColumn; ++column)
            to[column] += widen(from[column]);
    }
}

} // namespace

// oneDNN multiplies deep matrices of float32 a fifth faster in slices of their depth (tests/bench/README.md).
at::Tensor ProcessorCompute::product(const at::Tensor& left, const at::Tensor& right) const
{
    const std::int64_t depth = left.size(1);
    if (depth < 2 * kDepth || left.scalar_type() != at::kFloat)
        return at::mm(left, right);
    at::Tensor product = at::mm(left.narrow(1, 0, kDepth), right.narrow(0, 0, kDepth));
    for (std::int64_t begin = kDepth; begin < depth; begin += kDepth) {
        const std::int64_t count = std::min(kDepth, depth - begin);
        product.addmm_(left.narrow(1, begin, count), right.narrow(0, begin, count));
    }
    return product;
}

void ProcessorCompute::putProduct(const GradientPlace& place, const at::Tensor& left,
                                  const at::Tensor& right) const
{
    if (place.values.scalar_type() == left.scalar_type())
        place.putProduct(left, right);
    else
        putInPieces(place, left, right);
}

// Threads share the columns, so that every element is added to in the order of the rows.
void ProcessorCompute::putRows(const GradientPlace& place, const at::Tensor& rows_TH, const at::Tensor& ids_T,
                               std::int64_t padding) const
{
    if (!place.isFilled)
        place.values.zero_();
    const at::Tensor from = rows_TH.contiguous();
    const at::Tensor to = ids_T.contiguous();
    const std::int64_t width = from.size(1);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, from.scalar_type(), "putRows", [&] {
        // At least 64 columns a thread: with fewer, threads would share most cache lines of every row.
        at::parallel_for(0, width, 64, [&](std::int64_t begin, std::int64_t end) {
            addRows(place.values.mutable_data_ptr<Wide<scalar_t>>(), from.const_data_ptr<scalar_t>(), to,
                    padding, width, begin, end);
        });
    });
}

} // namespace trainyard
