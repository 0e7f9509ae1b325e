#pragma once

#include <cstdint>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Trainable parameters by where they live. A tied head's decoder is counted once, with the embeddings.
struct ParameterParts {
    std::int64_t embeddings = 0; ///< words, positions, token types, their norm
    std::int64_t words =
        0; ///< the word embeddings among them: what a tied head on another stage has a copy of
    std::int64_t perLayer = 0;
    std::int64_t head = 0; ///< final norm, decoder unless tied, and what the family has there
};

ParameterParts parameterParts(const ModelSpec& model);

/// Of the whole model.
std::int64_t parameterCount(const ModelSpec& model);

/// In a rank's flat buffers every tensor, and tensors that are multiplied as one matrix together, start at a
/// multiple of so many elements: one cache line of bfloat16.
constexpr std::int64_t kFlatAlignment = 32;

/// Elements that the parts take in the flat buffers of a rank whose `owners` ranks each own an equal, aligned
/// part of every part. Gaps count; of the `tensorRanks` the first one has most.
ParameterParts flatParts(const ModelSpec& model, int tensorRanks, int owners);

} // namespace trainyard
