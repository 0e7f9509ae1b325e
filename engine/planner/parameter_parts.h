#pragma once

#include <cstdint>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Trainable parameters by where they live. The tied MLM decoder is counted once, with the embeddings.
struct ParameterParts {
    std::int64_t embeddings = 0; ///< words, positions, token types, their norm
    std::int64_t words = 0; ///< the word embeddings among them: what a head on another stage has a copy of
    std::int64_t perLayer = 0;
    std::int64_t head = 0; ///< pooler, MLM and NSP heads
};

ParameterParts parameterParts(const ModelSpec& model);

/// Of the whole model.
std::int64_t parameterCount(const ModelSpec& model);

} // namespace trainyard
