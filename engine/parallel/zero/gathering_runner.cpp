#include "engine/parallel/zero/gathering_runner.h"

#include "engine/parallel/zero/part_gatherer.h"

namespace trainyard {

// The hook runs once the gradient of the part's output is complete: the parts behind it are done then, and
// nothing inside it has begun.
at::Tensor GatheringRunner::run(int part, const at::Tensor& input, const Part& compute)
{
    m_weights.enter(part, PartGatherer::Direction::Forward);
    const at::Tensor output = m_inner.run(part, input, compute);
    if (output.requires_grad())
        output.register_hook(
            [this, part](const at::Tensor&) { m_weights.enter(part, PartGatherer::Direction::Backward); });
    return output;
}

} // namespace trainyard
