#include "engine/parallel/data/weight_gatherer.h"

#include <vector>

#include "engine/comm/process_group.h"
#include "engine/nn/parameter_store.h"

namespace trainyard {

void gatherWeights(ParameterStore& parameters, ProcessGroup& group)
{
    if (parameters.layout().sharding().ownerRanks == 1)
        return;
    const at::Tensor& working = parameters.flatWorking();
    std::vector<Work> works;
    for (const Bucket& bucket : parameters.layout().buckets()) {
        const at::Tensor values = working.narrow(0, bucket.begin, bucket.size());
        works.push_back(group.allGatherAsync({static_cast<std::byte*>(values.data_ptr()), values.nbytes()}));
    }
    for (Work& work : works)
        work.wait();
}

} // namespace trainyard
