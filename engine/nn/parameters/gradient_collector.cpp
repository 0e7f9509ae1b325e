#include "engine/nn/parameters/gradient_collector.h"

#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/variable.h>

#include "engine/nn/compute/compute.h"

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
    compute.putProduct(m_collector->claim(), left, right);
    return {};
}

at::Tensor GradientRoute::deliverBlocks(std::span<const at::Tensor> left, std::span<const at::Tensor> right,
                                        const Compute& compute) const
{
    const std::int64_t height = left.front().size(0);
    const auto blocks = static_cast<std::int64_t>(left.size());
    const GradientPlace place =
        m_collector
            ? m_collector->claim()
            : GradientPlace{at::empty({blocks * height, right.front().size(1)}, left.front().options())};
    for (std::int64_t i = 0; i < blocks; ++i)
        putBlock({place.values.narrow(0, i * height, height), place.isFilled},
                 left[static_cast<std::size_t>(i)], right[static_cast<std::size_t>(i)], compute);
    return m_collector ? at::Tensor() : place.values;
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
