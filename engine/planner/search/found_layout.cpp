#include "engine/planner/search/found_layout.h"

#include "engine/planner/hardware/node_fit.h"
#include "engine/planner/memory/memory_model.h"

namespace trainyard {

double FoundLayout::bubbleShare() const
{
    return time.byCause[static_cast<std::size_t>(StepCause::Bubble)] / time.seconds;
}

FoundLayout untimedLayout(const SearchRequest& request, const RunSpec& spec)
{
    RunSpec onNodes = spec;
    onNodes.launch.device = resolvedDevice(spec.launch.device, request.node);
    const HostMemory host = onHardware({.ranks = request.node.devices}, request.node, onNodes.launch.device);
    const MemoryEstimate memory = estimateMemory(onNodes, request.shape, productsOn(onNodes, host));
    FoundLayout layout;
    layout.spec = spec;
    layout.onDevice = memory.onDevice();
    layout.onHost = memory.total() - memory.onDevice();
    return layout;
}

Status timeLayout(const SearchRequest& request, FoundLayout& layout, ScheduleDetail detail)
{
    const RunSpec& spec = layout.spec;
    TRAINYARD_TRY(const StepModel model,
                  StepModel::create(spec, request.shape, request.node, trainyardProgram(), detail));
    layout.time = model.estimate();
    layout.sequencesPerSecond = spec.batch.global / layout.time.seconds;
    const int nodes = (spec.layout.worldSize() + request.node.devices - 1) / request.node.devices;
    const double perSecond = nodes * request.node.price.perHour / 3600;
    layout.costPerMillionSequences = 1e6 * perSecond / layout.sequencesPerSecond;
    return {};
}

Result<FoundLayout> weighLayout(const SearchRequest& request, const RunSpec& spec, ScheduleDetail detail)
{
    FoundLayout layout = untimedLayout(request, spec);
    TRAINYARD_TRY_STATUS(timeLayout(request, layout, detail));
    return layout;
}

} // namespace trainyard
