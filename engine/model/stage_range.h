#pragma once

#include "engine/model/parameter_spec.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The consecutive parts of a model that one pipeline stage computes.
struct StageRange {
    bool embeddings = true;
    int firstLayer = 0;
    int endLayer = 0; ///< behind the last one
    bool head = true;

    /// Everything, on one device.
    static StageRange whole(const ModelSpec& model) { return {true, 0, model.layers, true}; }

    /// Whether a parameter of that part (ParameterSpec::part) of a model of `layers` layers lies in the
    /// stage.
    bool contains(int part, int layers) const
    {
        if (part == kEmbeddingsPart)
            return embeddings;
        return part == layers ? head : part >= firstLayer && part < endLayer;
    }
};

} // namespace trainyard
