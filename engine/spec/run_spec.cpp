#include "engine/spec/run_spec.h"

#include <algorithm>
#include <limits>

namespace trainyard {

void ModelSpec::setFamily(ModelFamily value)
{
    const bool bert = value == ModelFamily::Bert;
    family = value;
    tokenTypes = bert ? 2 : 0;
    activation = bert ? Activation::Gelu : Activation::GeluNew;
    norm = bert ? NormPlacement::Post : NormPlacement::Pre;
    nextSentence = bert;
    layerNormEpsilon = bert ? 1e-12 : 1e-5;
}

int ClusterSpec::totalSlots() const
{
    std::int64_t slots = 0;
    for (const NodeSpec& node : nodes)
        slots += node.slotCount;
    return static_cast<int>(std::min<std::int64_t>(slots, std::numeric_limits<int>::max()));
}

} // namespace trainyard
