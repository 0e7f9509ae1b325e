#include "engine/spec/run_spec.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "engine/spec/families/family_table.h"

namespace trainyard {

bool isDecoder(ModelFamily family)
{
    return familyTable(family).isDecoder;
}

void ModelSpec::setFamily(ModelFamily value)
{
    const ModelSpec was = *this;
    *this = ModelSpec();
    preset = was.preset;
    family = value;
    layers = was.layers;
    hidden = was.hidden;
    heads = was.heads;
    intermediate = was.intermediate;
    vocabulary = was.vocabulary;
    maxPositions = was.maxPositions;
    dropout = was.dropout;
    attentionDropout = was.attentionDropout;
    initializerRange = was.initializerRange;
    task = was.task;
    lora = was.lora;
    familyTable(value).describe(*this);
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

// Placed inner, the next neighbours behind those of one context group have other experts.
int ParallelLayout::expertShardRanks() const
{
    const bool inner = expertPlacement == ExpertPlacement::Inner;
    const int neighbours = inner ? context : expertCopies();
    if (shardRanks() <= neighbours)
        return shardRanks();
    return inner ? std::max(context, shardRanks() / expert) : neighbours;
}

ParallelLayout ParallelLayout::withData(int ranks) const
{
    ParallelLayout changed = *this;
    changed.data = ranks;
    changed.expert = std::gcd(expert, ranks);
    const bool isSplit = shard > 0 && shard < changed.holders();
    while (isSplit && changed.holders() % changed.shard != 0)
        ++changed.shard;
    if (!isSplit || changed.shard == changed.holders() || !changed.cutsExpertsAlike())
        changed.shard = 0;
    return changed;
}

bool ParallelLayout::cutsExpertsAlike() const
{
    const auto fits = [ranks = shardRanks()](int others) {
        return ranks % others == 0 || others % ranks == 0;
    };
    if (expert == 1)
        return true;
    return expertPlacement == ExpertPlacement::Inner ? fits(context) && fits(context * expert)
                                                     : fits(expertCopies());
}

int ClusterSpec::totalSlots() const
{
    std::int64_t slots = 0;
    for (const NodeSpec& node : nodes)
        slots += node.slotCount;
    return static_cast<int>(std::min<std::int64_t>(slots, std::numeric_limits<int>::max()));
}

} // namespace trainyard
