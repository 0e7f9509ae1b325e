#pragma once

#include <string>
#include <vector>

#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A small run with a big run's kind of layout.
struct ProxyRun {
    RunSpec spec;
    SequenceShape shape;
    std::vector<std::string> changes; ///< "model.hidden 1024 -> 64": reduced settings
};

/// At most 16 ranks, which keep every degree that is more than 1 at more than 1; as few layers as the stages
/// need, and sizes that do not divide evenly. Schedule, ZeRO stage, recomputation, optimizer, precision,
/// dropout and the model's options stay. Requires a specification that validate() accepts.
ProxyRun proxyOf(const RunSpec& spec, int steps);

/// The same training on one rank, without anything that saves memory.
RunSpec onOneRank(RunSpec spec);

} // namespace trainyard
