#include "engine/training/expert_load_recorder.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "engine/comm/process_groups.h"
#include "engine/training/replica.h"
#include "engine/training/step_journal.h"

namespace trainyard {

namespace {

constexpr std::int64_t kLoadsEvery = 10;

using PairsByLayer = std::map<int, std::vector<std::int64_t>>;

/// Of this rank's layers since the step before, of its own tokens.
PairsByLayer takePairs(Replica& replica)
{
    PairsByLayer pairs;
    for (const auto& chunk : replica.chunks())
        pairs.merge(chunk->expertTally().take());
    return pairs;
}

/// [layer][expert] of all layers of the model, those of other stages zero.
std::vector<double> allLayers(const PairsByLayer& pairs, const ModelSpec& model)
{
    const auto width = static_cast<std::size_t>(model.experts.count);
    std::vector<double> numbers(static_cast<std::size_t>(model.layers) * width);
    for (const auto& [layer, ofExperts] : pairs)
        std::ranges::copy(ofExperts, numbers.begin() + layer * std::ptrdiff_t(width));
    return numbers;
}

ExpertLoad loadOf(Step step, const ModelSpec& model, const std::vector<double>& numbers)
{
    ExpertLoad load;
    load.step = step.value;
    load.experts = model.experts.count;
    const auto width = static_cast<std::ptrdiff_t>(model.experts.count);
    for (int layer = 0; layer < model.layers; ++layer) {
        if (!model.hasExperts(layer))
            continue;
        load.layers.push_back(layer);
        const auto first = numbers.begin() + layer * width;
        for (auto pairs = first; pairs != first + width; ++pairs)
            load.pairs.push_back(static_cast<std::uint32_t>(*pairs));
    }
    return load;
}

} // namespace

ExpertLoadRecorder::ExpertLoadRecorder(const ModelSpec& model, const ProcessGroups& groups, Replica& replica,
                                       StepJournal* journal)
    : m_model(model), m_groups(groups), m_replica(replica), m_journal(journal)
{
}

bool ExpertLoadRecorder::isWritten(Step step)
{
    return step.value == 1 || step.value % kLoadsEvery == 0;
}

void ExpertLoadRecorder::record(Step step)
{
    if (!m_model.experts.isOn())
        return;
    const PairsByLayer pairs = takePairs(m_replica);
    if (!isWritten(step))
        return;
    // Tensor-parallel ranks route the same tokens.
    std::vector<double> numbers = allLayers(pairs, m_model);
    m_groups.data->allReduce(std::span<double>(numbers));
    m_groups.pipeline->allReduce(std::span<double>(numbers));
    if (m_journal)
        m_journal->write(loadOf(step, m_model, numbers));
}

} // namespace trainyard
