#pragma once

#include "app/base/text_table_model.h"

namespace trainyard {

struct RunFacts;
class RunSeries;

constexpr qsizetype kFirstMetricColumn = 2; ///< of evaluationRows()

/// Returns a row for each held-out evaluation, in the order of their steps: step, tokens trained until then,
/// the metrics of evaluationSeries(), the time it took, and the phase of a run that has some. Headings are in
/// lower case.
TextTable evaluationRows(const RunFacts& facts, const RunSeries& series);

} // namespace trainyard
