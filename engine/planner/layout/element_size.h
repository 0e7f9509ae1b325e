#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Bytes of one number of that type.
constexpr int elementSize(ComputeType type)
{
    return type == ComputeType::Float64 ? 8 : type == ComputeType::Float32 ? 4 : 2;
}

} // namespace trainyard
