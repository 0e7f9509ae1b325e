#include "engine/parallel/pipeline/tied_weights.h"

#include "engine/base/check.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameter_store.h"
#include "engine/nn/tensor_memory.h"

namespace trainyard {

TiedWeights::TiedWeights(const std::vector<ParameterStore*>& stores, const ProcessGroups& groups,
                         bool headIsTied)
    : m_group(headIsTied ? groups.embeddings.get() : nullptr)
{
    if (!m_group)
        return;
    // The words are the first parameter of the first stage, and the copy is the last one of the last stage.
    const bool isFirstStage = m_group->isFirst();
    const ParameterStore& store = isFirstStage ? *stores.front() : *stores.back();
    const Parameter& words = isFirstStage ? store.parameters().front() : store.parameters().back();
    TRAINYARD_CHECK_MSG(isFirstStage != words.spec.isCopy, words.spec.name);
    TRAINYARD_CHECK_MSG(words.gradient.defined(), words.spec.name);
    m_gradient = words.gradient;
}

void TiedWeights::sumGradients()
{
    if (m_group)
        m_group->allReduce(numbersOf(m_gradient));
}

} // namespace trainyard
