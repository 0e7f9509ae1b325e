#pragma once

#include <vector>

#include <QString>

#include "app/series/series_column.h"

namespace trainyard {

struct RunFacts;
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

} // namespace trainyard
