#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/runs/step_table.h"
#include "app/series/axis.h"
#include "app/series/series_column.h"

namespace trainyard {

struct RunFacts;
class OpenRun;
class RunSeries;

/// One metric of a run over its steps. All columns have the same length; steps ascend.
struct NamedSeries {
    QString name; ///< "loss", "time/compute_seconds"; of an import as it was written there
    SeriesColumn steps;
    SeriesColumn wallSeconds; ///< since 1970-01-01 UTC; 0 = unknown
    SeriesColumn values;
};

/// Returns every metric of a run: of its own steps those with any value, of an import all series.
std::vector<NamedSeries> namedSeries(const RunFacts& facts, const RunSeries& series);

/// A metric of a run without a fixed chart: the other columns of its steps, and every imported series.
struct ExtraMetric {
    QString name;
    Quantity quantity = Quantity::Number;
    bool fromZero = false;
    SeriesColumn values;
    std::optional<StepColumn> column;   ///< of the run's steps; else of `table`
    const SeriesTable* table = nullptr; ///< owned by the run

    /// Returns its positions on an axis; nullopt without any, e.g. imported series have no tokens.
    std::optional<SeriesColumn> positions(const StepTable& steps, StepColumn axis) const;
};

/// Returns the metrics whose name contains every word of `filter`, sorted by name; skips series without
/// numbers.
std::vector<ExtraMetric> extraMetrics(const OpenRun& run, const QString& filter);

} // namespace trainyard
