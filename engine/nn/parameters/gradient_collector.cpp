#include "engine/nn/parameters/gradient_collector.h"

#include <algorithm>

#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/variable.h>

#include "engine/nn/fused/number.h"

namespace trainyard {

namespace {

// On the CPU a product in another type than its place's is formed in pieces of about this many elements,
// which stay in the cache on their way.
constexpr std::int64_t kPieceElements = 1 << 20;

void putProduct(const GradientPlace& place, const at::Tensor& left, const at::Tensor& right)
{
    at::Tensor values = place.values;
    if (place.isFilled)
        at::addmm_out(values, values, left, right);
    else
        at::mm_out(values, left, right);
}

void putNarrowProduct(const GradientPlace& place, const at::Tensor& left, const at::Tensor& right)
{
    const std::int64_t rows = left.size(0);
    const std::int64_t step =
        // At least 256 rows, or the product would be too flat for its kernel.
        left.is_cpu() ? std::max<std::int64_t>(256, kPieceElements / right.size(1)) : rows;
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

void GradientPlace::put(const at::Tensor& gradient) const
{
    if (isFilled)
        values.add_(gradient);
    else
        values.copy_(gradient);
}

GradientCollector* GradientCollector::of(const at::Tensor& leaf)
{
    if (!leaf.defined() || !leaf.requires_grad())
        return nullptr;
    for (const auto& hook : torch::autograd::impl::hooks(leaf)) {
        if (auto* collector = dynamic_cast<GradientCollector*>(hook.get()))
            return collector;
    }
    return nullptr;
}

GradientRoute GradientRoute::fromNumber(std::int64_t number)
{
    GradientRoute route;
    route.m_collector = reinterpret_cast<GradientCollector*>(number);
    return route;
}

at::Tensor GradientRoute::deliver(const at::Tensor& gradient) const
{
    if (!m_collector)
        return gradient;
    m_collector->claim().put(gradient);
    return {};
}

at::Tensor GradientRoute::deliverProduct(const at::Tensor& left, const at::Tensor& right) const
{
    if (!m_collector)
        return at::mm(left, right);
    const GradientPlace place = m_collector->claim();
    if (place.values.scalar_type() == left.scalar_type())
        putProduct(place, left, right);
    else
        putNarrowProduct(place, left, right);
    return {};
}

// Threads share the columns, so that every element is added to in the order of the rows.
at::Tensor GradientRoute::deliverRows(const at::Tensor& rows, const at::Tensor& ids, std::int64_t tableRows,
                                      std::int64_t padding) const
{
    if (!m_collector)
        return at::embedding_dense_backward(rows, ids, tableRows, padding, false);
    const GradientPlace place = m_collector->claim();
    if (!rows.is_cpu()) {
        place.put(at::embedding_dense_backward(rows, ids, tableRows, padding, false));
        return {};
    }
    if (!place.isFilled)
        place.values.zero_();
    const at::Tensor from = rows.contiguous();
    const at::Tensor to = ids.contiguous();
    const std::int64_t width = from.size(1);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kBFloat16, at::kHalf, from.scalar_type(), "addRows", [&] {
        // At least 64 columns a thread: with fewer, threads would share most cache lines of every row.
        at::parallel_for(0, width, 64, [&](std::int64_t begin, std::int64_t end) {
            addRows(place.values.mutable_data_ptr<Wide<scalar_t>>(), from.const_data_ptr<scalar_t>(), to,
                    padding, width, begin, end);
        });
    });
    return {};
}

} // namespace trainyard
