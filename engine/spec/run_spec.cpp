#include "engine/spec/run_spec.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

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

std::int64_t OptimizerSpec::decayStepsOf(std::int64_t steps) const
{
    // Hu et al., arXiv:2404.06395, section 4.3: a tenth of the steps is enough.
    constexpr std::int64_t kStepsPerDecayStep = 10;
    const std::int64_t wanted =
        decaySteps > 0 ? decaySteps : (steps + kStepsPerDecayStep - 1) / kStepsPerDecayStep;
    return std::clamp<std::int64_t>(wanted, 0, std::max<std::int64_t>(steps - warmupSteps, 0));
}

std::vector<MixedDataSet> DatasetSpec::sets() const
{
    return isMix() ? mix : std::vector{MixedDataSet{path}};
}

std::vector<double> DatasetSpec::shares() const
{
    std::vector<double> shares;
    double all = 0;
    for (const MixedDataSet& set : sets()) {
        shares.push_back(std::max(set.weight, 0.0));
        all += shares.back();
    }
    for (double& share : shares)
        share = all > 0 ? share / all : 0;
    return shares;
}

std::string DatasetSpec::text() const
{
    if (!isMix())
        return path;
    const std::vector<double> parts = shares();
    std::string text;
    for (std::size_t set = 0; set < mix.size(); ++set)
        text += fmt::format("{}{:.3g} % {}", text.empty() ? "" : ", ", 100 * parts[set], mix[set].path);
    return text;
}

int ClusterSpec::totalSlots() const
{
    std::int64_t slots = 0;
    for (const NodeSpec& node : nodes)
        slots += node.slotCount;
    return static_cast<int>(std::min<std::int64_t>(slots, std::numeric_limits<int>::max()));
}

} // namespace trainyard
