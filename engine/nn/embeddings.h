#pragma once

#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"

namespace trainyard {

/// The first part of a model: words, positions and token types added up, normalised where the family does.
/// Uses dropout site 0.
class Embeddings {
public:
    Embeddings(const ModelSpec& model, const ParameterStore& parameters);

    at::Tensor forward(const ForwardPass& pass) const; ///< [T, H] of pass.tokensHere()

private:
    at::Tensor wordsOf(const ForwardPass& pass) const;
    at::Tensor typesOf(const ForwardPass& pass, IndexRange tokens) const;
    at::Tensor positionsOf(const ForwardPass& pass, IndexRange tokens) const;

    std::int64_t m_padding;
    at::Tensor m_words;      // with tensor parallelism this rank's rows
    at::Tensor m_positions;  // undefined with rotary positions
    at::Tensor m_tokenTypes; // undefined where the model has none
    NormWeights m_norm;      // undefined where the model has none
};

} // namespace trainyard
