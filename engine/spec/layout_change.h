#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// How a run is spread over its hosts: the sections `layout`, `memory` and `batch`, of the run and of its
/// phases, and the nodes of `cluster`. A checkpoint fits every layout, so these may change between two
/// attempts of a run; what is computed stays the same, because model, data, optimizer, seed and global batch
/// stay. The first node stays too: it has the run's records.
///
/// These sections of `spec` as JSON on one line.
std::string layoutText(const RunSpec& spec);

/// `spec`, spread as `layout` says, which is a text of layoutText(). BadInput where it is none, or what it
/// makes of `spec` cannot work; Refused where the first host or the global batch is another.
Result<RunSpec> withLayout(const RunSpec& spec, std::string_view layout);

/// Every rank holds the whole model and the optimizer's state, so that a checkpoint can be written and read
/// by rank 0's host alone. In every other layout each host that does not see that folder keeps a part.
bool everyRankHoldsAll(const RunSpec& spec);

} // namespace trainyard
