#pragma once

#include <cstdint>
#include <optional>

#include <QString>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Returns when a run evaluates, and the share of its time that it takes, as one sentence; why it does not if
/// so; empty for a specification without steps or batch, or with phases (see specOfPhase()). `testRows`: of
/// the data set that is evaluated; nullopt = unknown.
QString evaluationSummary(const RunSpec& spec, std::optional<std::uint64_t> testRows);

} // namespace trainyard
