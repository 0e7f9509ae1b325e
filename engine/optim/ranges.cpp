#include "engine/optim/ranges.h"

#include <algorithm>

#include <ATen/ops/zeros.h>

namespace trainyard {

TensorRanges::TensorRanges(const std::vector<OptimizedTensor>& tensors, const UpdateKernels& kernels)
    : m_kernels(kernels)
{
    for (std::size_t tensor = 0; tensor < tensors.size(); ++tensor) {
        m_parameters.push_back(tensors[tensor].parameter);
        const std::int64_t count = tensors[tensor].master.numel();
        for (std::int64_t begin = 0; begin < count; begin += kernels.rangeElements())
            m_ranges.push_back({tensor, begin, std::min(begin + kernels.rangeElements(), count)});
    }
    if (!tensors.empty())
        m_place = tensors.front().master.device();
}

void TensorRanges::forEach(const std::function<void(const ElementRange&)>& pass,
                           const std::function<void(const ElementRange&)>& after) const
{
    m_kernels.forEach(
        m_ranges.size(), [&](std::size_t index) { pass(m_ranges[index]); },
        [&](std::size_t index) { after(m_ranges[index]); });
}

std::vector<double>
TensorRanges::sum(std::size_t columns,
                  const std::function<void(const ElementRange&, double* sums)>& handle) const
{
    const std::size_t perRange = m_kernels.sumSlots() * columns;
    const at::Tensor sums = at::zeros({static_cast<std::int64_t>(m_ranges.size() * perRange)},
                                      at::TensorOptions().dtype(at::kDouble).device(m_place));
    auto* first = static_cast<double*>(sums.mutable_data_ptr());
    m_kernels.forEach(
        m_ranges.size(), [&](std::size_t index) { handle(m_ranges[index], first + index * perRange); },
        [](std::size_t) {});
    const at::Tensor onHost = sums.cpu();
    const auto* number = static_cast<const double*>(onHost.const_data_ptr());
    const auto last = std::ranges::max_element(m_parameters);
    std::vector<double> ofParameter(last == m_parameters.end() ? 0 : (*last + 1) * columns);
    for (const ElementRange& range : m_ranges) {
        double* row = &ofParameter[columns * m_parameters[range.tensor]];
        for (std::size_t i = 0; i < perRange; ++i)
            row[i % columns] += *number++;
    }
    return ofParameter;
}

std::uint16_t* bfloat16CopyOf(const OptimizedTensor& tensor, const ElementRange& range)
{
    if (!tensor.working.defined() || tensor.working.scalar_type() != at::kBFloat16)
        return nullptr;
    return static_cast<std::uint16_t*>(tensor.working.mutable_data_ptr()) + range.begin;
}

void refreshWorkingCopy(const OptimizedTensor& tensor, const ElementRange& range)
{
    if (tensor.working.defined())
        tensor.working.narrow(0, range.begin, range.count())
            .copy_(tensor.master.narrow(0, range.begin, range.count()));
}

void refreshOtherCopy(const OptimizedTensor& tensor, const ElementRange& range)
{
    if (!bfloat16CopyOf(tensor, range))
        refreshWorkingCopy(tensor, range);
}

} // namespace trainyard
