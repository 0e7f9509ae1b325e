#pragma once

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The same training with another number of data-parallel replicas: every other degree stays, and
/// accumulation makes up for the difference, so that each step sees the same global batch. Refused where that
/// does not divide.
Result<RunSpec> withReplicas(const RunSpec& spec, int replicas);

/// As withReplicas() with as many as fit into `ranks`, at most the specification's own. Refused when there is
/// no such number.
Result<RunSpec> fittedTo(const RunSpec& spec, int ranks);

} // namespace trainyard
