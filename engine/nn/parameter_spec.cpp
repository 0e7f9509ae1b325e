#include "engine/nn/parameter_spec.h"

namespace trainyard {

std::int64_t elementCount(const std::vector<std::int64_t>& shape)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    return count;
}

} // namespace trainyard
