#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/runs/step_table.h"
#include "app/series/axis_ticks.h"

namespace trainyard {

class OpenRun;

/// A figure of a run that has no chart of its own: what is left of its steps, and every series of an import.
struct FurtherSeries {
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
std::vector<FurtherSeries> furtherSeries(const OpenRun& run, const QString& filter);

} // namespace trainyard
