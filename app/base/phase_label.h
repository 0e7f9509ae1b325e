#pragma once

#include <QString>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// "Phase 2 of 3: wiki-512", without the colon for a phase without a name; empty for a run without phases.
QString phaseTitle(const RunSpec& run, int phase);
/// "2: wiki-512", or "2": for tables and charts.
QString phaseLabel(const RunSpec& run, int phase);

} // namespace trainyard
