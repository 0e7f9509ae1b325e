#pragma once

#include <string>
#include <string_view>
#include <vector>

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

/// The same training on the hosts of the cluster but these, with as many replicas as fit there. BadInput
/// naming a host that the cluster lacks; Refused for the first one, which has the run's records, and as
/// fittedTo().
Result<RunSpec> withoutHosts(const RunSpec& spec, const std::vector<std::string>& hosts);

/// The specification as an attempt of the run carries it out. `layout`: a text of layoutText(); empty = the
/// launched one. `replicas`: 0 = those of the layout. Errors as withLayout() and withReplicas().
Result<RunSpec> specOfAttempt(const RunSpec& launched, std::string_view layout, int replicas = 0);

} // namespace trainyard
