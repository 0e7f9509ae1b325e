#pragma once

#include <functional>

#include "engine/base/result.h"
#include "engine/nn/device.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class Replica;
struct ProcessGroups;

/// Runs the ranks of a layout as threads of this process: calls `body` once per rank, with the rank's groups
/// and its freshly initialised part of the model. `shape`: of the rows. Returns the error of the lowest rank
/// that has one.
Status runReplicasAsThreads(const RunSpec& spec, const SequenceShape& shape,
                            const std::function<Status(const ProcessGroups&, Replica&)>& body,
                            const Device& device = {});

} // namespace trainyard
