#pragma once

#include <string_view>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The models that README.md gives figures of: "a", 5.4 million parameters, and "b", 38.9 million. Rows of
/// 128 tokens, no dropout.
inline ModelSpec benchModel(std::string_view name)
{
    const bool a = name == "a";
    ModelSpec model;
    model.layers = a ? 4 : 2;
    model.hidden = a ? 256 : 768;
    model.heads = a ? 4 : 12;
    model.intermediate = 4 * model.hidden;
    model.vocabulary = a ? 8192 : 30528;
    model.maxPositions = 128;
    model.dropout = 0;
    model.attentionDropout = 0;
    return model;
}

} // namespace trainyard
