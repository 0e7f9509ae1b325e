#include "engine/planner/scaling/scaled_layout.h"

#include <fmt/format.h>

namespace trainyard {

Result<RunSpec> scaledLayout(const RunSpec& spec, int ranks, Scaling scaling)
{
    const int model = spec.layout.context * spec.layout.tensor * spec.layout.pipeline;
    if (ranks < 1 || model < 1 || ranks % model != 0)
        return badInput(
            fmt::format("{} ranks cannot hold whole copies of a model on {} ranks", ranks, model));
    RunSpec copy = spec;
    copy.layout.data = ranks / model;
    const int perStep = copy.batch.micro * copy.layout.data;
    if (scaling == Scaling::Weak) {
        copy.batch.global = perStep * copy.batch.accumulation;
        return copy;
    }
    if (copy.batch.global % perStep != 0)
        return refused(fmt::format("a global batch of {} cannot be split over {} ranks of micro-batch {}",
                                   copy.batch.global, copy.layout.data, copy.batch.micro),
                       "change the micro-batch, or scale weakly");
    copy.batch.accumulation = copy.batch.global / perStep;
    return copy;
}

} // namespace trainyard
