#include "engine/optim/working_copy.h"

namespace trainyard {

bool hasBFloat16Copy(const OptimizedTensor& tensor)
{
    return tensor.working.defined() && tensor.working.scalar_type() == at::kBFloat16;
}

void refreshWorkingCopy(const OptimizedTensor& tensor, const ElementRange& range)
{
    if (!tensor.working.defined())
        return;
    const std::int64_t count = range.end - range.begin;
    tensor.working.narrow(0, range.begin, count).copy_(tensor.master.narrow(0, range.begin, count));
}

} // namespace trainyard
