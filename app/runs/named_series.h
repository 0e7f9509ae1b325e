#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/runs/step_table.h"
#include "app/series/axis_ticks.h"
#include "app/series/series_column.h"

namespace trainyard {

struct RunFacts;
class OpenRun;
class RunSeries;

/// One figure of a run over its steps. All columns are equally long; steps ascend.
struct NamedSeries {
    QString name; ///< "loss", "time/compute_seconds"; of an import as it was written there
    SeriesColumn steps;
    SeriesColumn wallSeconds; ///< since 1970-01-01 UTC; 0 = not known
    SeriesColumn values;
};

/// Every figure of a run: of its own steps those that ever had a value, of an import what came with it.
std::vector<NamedSeries> namedSeries(const RunFacts& facts, const RunSeries& series);

/// A figure of a run that has no chart of its own: what is left of its steps, and every series of an import.
struct ExtraMetric {
    QString name;
    Quantity quantity = Quantity::Number;
    bool fromZero = false;
    SeriesColumn values;
    std::optional<StepColumn> column;   ///< of the run's steps; else of `table`
    const SeriesTable* table = nullptr; ///< owned by the run

    /// Its places on an axis; nothing where it has none, as an imported series has no tokens.
    std::optional<SeriesColumn> positions(const StepTable& steps, StepColumn axis) const;
};

/// Those whose name holds every word of `filter`, by name; series without a single number are left out.
std::vector<ExtraMetric> extraMetrics(const OpenRun& run, const QString& filter);

} // namespace trainyard
