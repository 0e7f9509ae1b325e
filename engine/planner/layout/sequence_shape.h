#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The shape of one training row.
struct SequenceShape {
    int length = 128;        ///< tokens per sequence, padding included
    int maxPredictions = 20; ///< masked positions per sequence

    /// Positions per sequence at which a model of this family predicts, at most.
    int targets(ModelFamily family) const { return family == ModelFamily::Gpt ? length - 1 : maxPredictions; }
};

} // namespace trainyard
