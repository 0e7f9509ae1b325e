#include "engine/parallel/pipeline/tied_weights.h"

#include "engine/base/check.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameters/parameter_store.h"
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
    m_store = isFirstStage ? stores.front() : stores.back();
    m_words = isFirstStage ? 0 : m_store->parameters().size() - 1;
    const ParameterSpec& words = m_store->parameters()[m_words].spec;
    TRAINYARD_CHECK_MSG(isFirstStage != words.isCopy, words.name);
}

void TiedWeights::sumGradients()
{
    if (!m_group)
        return;
    const bool isSharded = m_store->gradients().residence() == GradientResidence::Sharded;
    // The words are alone in their bucket, so that the owners of both stages have the same part of them.
    m_group->allReduce(numbersOf(isSharded
                                     ? m_store->gradients().keptPart(m_store->layout().bucketOf()[m_words])
                                     : m_store->gradientOf(m_words)));
}

} // namespace trainyard
