#include "engine/planner/parameter_parts.h"

namespace trainyard {

ParameterParts parameterParts(const ModelSpec& m)
{
    const std::int64_t h = m.hidden;
    const std::int64_t ffn = m.intermediate;
    const std::int64_t attention = 4 * (h * h + h) + 2 * h;
    const std::int64_t feedForward = 2 * h * ffn + ffn + h + 2 * h;
    const std::int64_t pooler = h * h + h;
    const std::int64_t mlmHead = h * h + h + 2 * h + m.vocabulary;
    const std::int64_t nspHead = 2 * h + 2;
    ParameterParts parts;
    parts.words = h * m.vocabulary;
    parts.embeddings = parts.words + h * (std::int64_t{m.maxPositions} + m.tokenTypes) + 2 * h;
    parts.perLayer = attention + feedForward;
    parts.head = pooler + mlmHead + nspHead;
    return parts;
}

std::int64_t parameterCount(const ModelSpec& model)
{
    const ParameterParts parts = parameterParts(model);
    return parts.embeddings + model.layers * parts.perLayer + parts.head;
}

} // namespace trainyard
