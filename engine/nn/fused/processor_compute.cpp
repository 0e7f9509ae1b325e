#include "engine/nn/fused/processor_compute.h"

namespace trainyard {

const Compute& processorCompute()
{
    static const ProcessorCompute compute;
    return compute;
}

} // namespace trainyard
