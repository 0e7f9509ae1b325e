#include "engine/optim/range_views.h"

namespace trainyard {

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
