#pragma once

#include "app/base/text_table_model.h"

namespace trainyard {

struct RunFacts;
class RunSeries;

constexpr qsizetype kFirstMetricColumn = 2; ///< of evaluationRows()

/// Returns a row for each held-out evaluation, in the order of their steps: step, tokens trained until then,
/// the metrics of evaluationSeries(), and the time it took. Headings are in lower case.
TextTable evaluationRows(const RunFacts& facts, const RunSeries& series);

} // namespace trainyard
