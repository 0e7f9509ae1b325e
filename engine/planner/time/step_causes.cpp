#include "engine/planner/time/step_causes.h"

#include <numeric>

namespace trainyard {

std::string_view nameOf(StepCause cause)
{
    static constexpr std::array<std::string_view, kStepCauses> kNames{
        "products",  "traffic",       "launches",   "recompute", "tensor",
        "context",   "gathers",       "offload",    "transfers", "reductions",
        "optimizer", "micro_batches", "stragglers", "bubble",    "experts"};
    return kNames[static_cast<std::size_t>(cause)];
}

double sum(const TimeByCause& seconds)
{
    return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

void add(TimeByCause& seconds, const TimeByCause& more, double times)
{
    for (std::size_t i = 0; i < kStepCauses; ++i)
        seconds[i] += times * more[i];
}

} // namespace trainyard
