#include "engine/planner/parameter_parts.h"

namespace trainyard {

namespace {

std::int64_t linear(std::int64_t in, std::int64_t out)
{
    return in * out + out;
}

std::int64_t norm(const ModelSpec& m)
{
    return 2 * std::int64_t{m.hidden};
}

std::int64_t embeddings(const ModelSpec& m)
{
    const int positions = m.positions == PositionEncoding::Learned ? m.maxPositions : 0;
    const std::int64_t rows = std::int64_t{m.vocabulary} + positions + m.tokenTypes;
    return rows * m.hidden + (m.family == ModelFamily::Bert ? norm(m) : 0);
}

std::int64_t layer(const ModelSpec& m)
{
    const int intoFeedForward = m.activation == Activation::Swiglu ? 2 : 1;
    return 4 * linear(m.hidden, m.hidden) + intoFeedForward * linear(m.hidden, m.intermediate) +
           linear(m.intermediate, m.hidden) + 2 * norm(m);
}

std::int64_t bertHead(const ModelSpec& m)
{
    const std::int64_t transform = linear(m.hidden, m.hidden) + norm(m);
    const std::int64_t nextSentence = linear(m.hidden, m.hidden) + linear(m.hidden, 2);
    return transform + m.vocabulary + (m.nextSentence ? nextSentence : 0);
}

std::int64_t head(const ModelSpec& m)
{
    const std::int64_t finalNorm = m.norm == NormPlacement::Pre ? norm(m) : 0;
    const std::int64_t decoder = m.tiedHead ? 0 : std::int64_t{m.vocabulary} * m.hidden;
    return finalNorm + decoder + (m.family == ModelFamily::Bert ? bertHead(m) : 0);
}

} // namespace

ParameterParts parameterParts(const ModelSpec& model)
{
    return {embeddings(model), std::int64_t{model.vocabulary} * model.hidden, layer(model), head(model)};
}

std::int64_t parameterCount(const ModelSpec& model)
{
    const ParameterParts parts = parameterParts(model);
    return parts.embeddings + model.layers * parts.perLayer + parts.head;
}

} // namespace trainyard
