#pragma once

#include "engine/planner/sequence_shape.h"

namespace trainyard {

/// Sequences of `length` tokens, the model's longest ones where it is 0, of which BERT masks 15 % (Devlin et
/// al., arXiv:1810.04805, section 3.1).
inline SequenceShape plannedShape(const ModelSpec& model, int length = 0)
{
    constexpr double kMaskedShare = 0.15;
    const int tokens = length > 0 ? length : model.maxPositions;
    return {tokens, static_cast<int>(tokens * kMaskedShare)};
}

} // namespace trainyard
