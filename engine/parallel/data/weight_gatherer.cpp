#include "engine/parallel/data/weight_gatherer.h"

#include <vector>

#include "engine/comm/phase_clock.h"
#include "engine/comm/process_group.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/tensor_memory.h"

namespace trainyard {

void gatherWeights(ParameterStore& parameters, ProcessGroup& group)
{
    if (parameters.layout().sharding().ownerRanks == 1)
        return;
    const PhaseScope phase(StepPhase::Reduce);
    const at::Tensor& working = parameters.weights().whole();
    std::vector<Work> works;
    for (const Bucket& bucket : parameters.layout().buckets()) {
        works.push_back(group.allGatherAsync(memoryOf(working.narrow(0, bucket.begin, bucket.size()))));
    }
    for (Work& work : works)
        work.wait();
}

} // namespace trainyard
