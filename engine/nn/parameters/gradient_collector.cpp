#include "engine/nn/parameters/gradient_collector.h"

#include <ATen/ops/embedding_dense_backward.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/variable.h>

#include "engine/nn/compute/compute.h"

namespace trainyard {

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

at::Tensor GradientRoute::deliverRows(const at::Tensor& rows, const at::Tensor& ids, std::int64_t tableRows,
                                      std::int64_t padding, const Compute& compute) const
{
    if (!m_collector)
        return at::embedding_dense_backward(rows, ids, tableRows, padding, false);
    compute.putRows(m_collector->claim(), rows, ids, padding);
    return {};
}

} // namespace trainyard
