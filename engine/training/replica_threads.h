#pragma once

#include <functional>

#include "engine/base/result.h"
#include "engine/planner/layout/shape.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class Replica;
struct ProcessGroups;

/// Runs a layout in this process, its ranks as threads: `body` once per rank, with the rank's groups and its
/// freshly initialised part of the model. `shape`: of the rows. Of the ranks' errors the first one's.
Status runReplicasAsThreads(const RunSpec& spec, const SequenceShape& shape,
                            const std::function<Status(const ProcessGroups&, Replica&)>& body);

} // namespace trainyard
