#pragma once

#include "app/base/text_table_model.h"

namespace trainyard {

struct RunFacts;
class RunSeries;

/// Returns a row for each held-out evaluation, the newest first: step, tokens trained until then, metrics,
/// and the time it took. A star marks the best one by evaluation.metric.
TextTable evaluationText(const RunFacts& facts, const RunSeries& series);

} // namespace trainyard
