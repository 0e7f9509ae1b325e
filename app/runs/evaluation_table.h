#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <QList>

#include "app/runs/step_table.h"
#include "app/series/series_file.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// One value per held-out evaluation.
enum class EvaluationColumn {
    Step,
    WallSeconds, ///< since 1970-01-01 UTC
    Loss,
    TokenLoss,
    SequenceLoss,
    TokenAccuracy,    ///< 0..1; of a task that judges rows, of these
    SequenceAccuracy, ///< 0..1; NaN without next-sentence head
    BitsPerByte,      ///< NaN where the bytes are unknown
    Tokens,           ///< predicted in the evaluation
    Rows,
    Seconds,
    Best, ///< 1 = the best one so far, else 0
    Attempt,
    Task, ///< TaskKind; 0 without a head for a task. Then the figures of TaskMetrics, NaN where it has none
    F1,
    Matthews,
    Pearson,
    Spearman,
    ExactMatch,
};
constexpr int kEvaluationColumns = 19;

/// Name of the table of evaluations in a series file.
inline constexpr QLatin1String kEvaluationsTable("evaluations");

/// A run's held-out evaluations as columns, ascending by step, one row per step. A value: copies share
/// unchanged data. The result does not depend on the order of records.
class EvaluationTable {
public:
    /// Adds a record. Of several records of a step that of the latest attempt counts.
    void add(const EvaluationRecord& record, std::uint32_t attempt, const Instant& time);
    /// Drops the evaluations of steps that a later attempt has replaced.
    void dropReplaced(const StepTable& steps);

    qsizetype size() const { return m_columns[0].size(); }
    bool isEmpty() const { return size() == 0; }
    const SeriesColumn& column(EvaluationColumn column) const;
    double last(EvaluationColumn column) const; ///< NaN when empty
    EvaluationRecord at(qsizetype row) const;
    /// Returns the row that is best by the metric, the first of equal ones; -1 without a finite value.
    qsizetype bestRow(EvaluationMetric metric) const;
    qsizetype lowestLossRow() const { return bestRow(EvaluationMetric::Loss); }
    double atLowestLoss(EvaluationColumn column) const; ///< NaN without a finite loss
    /// Returns the positions of the evaluations on an axis: those of their steps. Empty without steps.
    SeriesColumn positions(const StepTable& steps, StepColumn axis) const;

    /// Increases when existing rows change or vanish, so that derived data must be recomputed.
    int rewrites() const { return m_rewrites; }

    /// Returns all columns by name, for the series file.
    SeriesTable toSeries() const;
    /// Restores the table of toSeries(). BadInput when a column is missing, but for those of tasks.
    static Result<EvaluationTable> fromSeries(const SeriesTable& series);

private:
    using Row = std::array<double, kEvaluationColumns>;

    void insert(qsizetype at, const Row& row);
    void append(Row row);
    std::vector<Row> takeFrom(qsizetype first);

    std::array<SeriesColumn, kEvaluationColumns> m_columns;
    int m_rewrites = 0;
};

} // namespace trainyard
