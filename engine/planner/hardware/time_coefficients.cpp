#include "engine/planner/hardware/time_coefficients.h"

namespace trainyard {

std::string_view nameOf(TimeFactor factor)
{
    static constexpr std::array<std::string_view, kTimeFactors> kNames{
        "products", "traffic", "launches", "tensor", "transfers", "reductions", "micro_batches", "sharing"};
    return kNames[static_cast<std::size_t>(factor)];
}

} // namespace trainyard
