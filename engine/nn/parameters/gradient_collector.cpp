#include "engine/nn/parameters/gradient_collector.h"

#include <utility>
#include <vector>

#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/variable.h>

#include "engine/nn/compute/compute.h"
#include "engine/nn/parameters/pending_gradients.h"

namespace trainyard {

namespace {

void putBlock(const GradientPlace& place, const at::Tensor& left, const at::Tensor& right,
              const Compute& compute)
{
    if (left.size(1) > 0)
        compute.putProduct(place, left, right);
    else if (!place.isFilled)
        place.values.zero_();
}

void putBlocks(const GradientPlace& place, std::span<const at::Tensor> left,
               std::span<const at::Tensor> right, const Compute& compute)
{
    const std::int64_t height = left.front().size(0);
    for (std::size_t i = 0; i < left.size(); ++i)
        putBlock({place.values.narrow(0, static_cast<std::int64_t>(i) * height, height), place.isFilled},
                 left[i], right[i], compute);
}

} // namespace

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

template <typename Put>
void GradientRoute::putInto(Put put) const
{
    if (PendingGradients* const pending = m_collector->pending())
        pending->add([collector = m_collector, put = std::move(put)] { put(collector->claim()); });
    else
        put(m_collector->claim());
}

at::Tensor GradientRoute::deliver(const at::Tensor& gradient) const
{
    if (!m_collector)
        return gradient;
    m_collector->claim().put(gradient);
    return {};
}

at::Tensor GradientRoute::deliverProduct(const at::Tensor& left, const at::Tensor& right,
                                         const Compute& compute) const
{
    if (!m_collector)
        return at::mm(left, right);
    putInto([left, right, &compute](const GradientPlace& place) { compute.putProduct(place, left, right); });
    return {};
}

at::Tensor GradientRoute::deliverBlocks(std::span<const at::Tensor> left, std::span<const at::Tensor> right,
                                        const Compute& compute) const
{
    if (!m_collector) {
        const auto rows = static_cast<std::int64_t>(left.size()) * left.front().size(0);
        const GradientPlace place{at::empty({rows, right.front().size(1)}, left.front().options())};
        putBlocks(place, left, right, compute);
        return place.values;
    }
    putInto([left = std::vector(left.begin(), left.end()), right = std::vector(right.begin(), right.end()),
             &compute](const GradientPlace& place) { putBlocks(place, left, right, compute); });
    return {};
}

at::Tensor GradientRoute::deliverRows(const at::Tensor& rows, const at::Tensor& ids, std::int64_t tableRows,
                                      std::int64_t padding, const Compute& compute) const
{
    if (!m_collector)
        return at::embedding_dense_backward(rows, ids, tableRows, padding, false);
    compute.putRows(m_collector->claim(), rows, ids, padding);
    return {};
}

} // namespace trainyard
