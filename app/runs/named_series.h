#pragma once

#include <optional>
#include <vector>

#include <QString>

#include "app/runs/evaluation_table.h"
#include "app/runs/step_table.h"
#include "app/series/axis.h"
#include "app/series/series_column.h"
#include "engine/spec/run_spec.h"

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

/// A figure of a run's held-out evaluations.
struct EvaluationSeries {
    QString name;  ///< "loss", and those of metricsOf(): "mlm_accuracy", "perplexity"
    QString title; ///< "Held-out loss"
    Quantity quantity = Quantity::Number;
    SeriesColumn values; ///< of each evaluation, NaN where it is unknown

    QString shortTitle() const; ///< "loss", for where the heading says that it is held out
};

/// Returns the loss and then the metrics of the model's family; empty without evaluations.
std::vector<EvaluationSeries> evaluationSeries(const RunFacts& facts, const RunSeries& series);
/// Returns the family of the run's model, which decides how evaluations are described; encoders by default.
ModelFamily familyOf(const RunFacts& facts);

/// Returns every metric of a run: of its own steps and evaluations ("held_out/loss") those with any value, of
/// an import all series.
std::vector<NamedSeries> namedSeries(const RunFacts& facts, const RunSeries& series);

/// A metric of a run without a fixed chart: the other columns of its steps, the metrics of its evaluations
/// but the loss, and every imported series.
struct ExtraMetric {
    QString name;
    Quantity quantity = Quantity::Number;
    bool fromZero = false;
    SeriesColumn values;
    std::optional<StepColumn> column{};           ///< of the run's steps; else of `evaluations` or `table`
    const EvaluationTable* evaluations = nullptr; ///< owned by the run
    const SeriesTable* table = nullptr;           ///< owned by the run

    /// Returns its positions on an axis; nullopt without any, e.g. imported series have no tokens.
    std::optional<SeriesColumn> positions(const StepTable& steps, StepColumn axis) const;
};

/// Returns the metrics whose name contains every word of `filter`, sorted by name; skips series without
/// numbers.
std::vector<ExtraMetric> extraMetrics(const OpenRun& run, const QString& filter);

} // namespace trainyard
