#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <QList>

#include "app/series/series_file.h"
#include "engine/planner/time/common_causes.h"
#include "engine/records/record.h"

namespace trainyard {

/// One metric per step. Derived ones state their source.
enum class StepColumn {
    Step,
    Loss,
    MlmLoss,
    NspLoss,
    LearningRate,
    GradientNorm,
    StepSeconds,        ///< s
    SequencesPerSecond, ///< sequences of the step / StepSeconds
    TokensPerSecond,    ///< tokens of the step / StepSeconds
    PeakMemory,         ///< bytes, of the fullest rank
    Samples,            ///< consumed since the start of the run
    Tokens,             ///< since the start of the run: running sum
    TrainingSeconds,    ///< running sum of StepSeconds; pauses and restarts leave no gap
    WallSeconds,        ///< since 1970-01-01 UTC
};
constexpr int kStepColumns = 14;

/// Name of the table of steps in a series file.
inline constexpr QLatin1String kStepsTable("steps");

/// A stretch of the run between a start (or resume) and its end.
struct RunAttempt {
    std::uint32_t number = 1;
    std::int64_t firstStep = 0; ///< 0 = it reached no step
    std::int64_t lastStep = 0;  ///< the last one it wrote, also where a later attempt replaced it
    std::int64_t startedNs = 0; ///< wall clock of its first step record
    std::int64_t endedNs = 0;   ///< wall clock of its last one

    bool operator==(const RunAttempt&) const = default;
};

/// A run's steps as columns, ascending by step, for charts. A value: copies share unchanged data, so a view
/// may keep one while records arrive.
///
/// An attempt that resumed at step s replaces everything that earlier attempts wrote from s on: the columns
/// are those of an uninterrupted run. The result does not depend on the order of records.
class StepTable {
public:
    /// Adds a record; returns false when a later attempt has already replaced the step.
    bool add(const StepRecord& record, std::uint32_t attempt, const Instant& time);

    qsizetype size() const { return m_columns[0].size(); }
    bool isEmpty() const { return size() == 0; }
    const SeriesColumn& column(StepColumn column) const;
    /// Returns the seconds of each step that `cause` took on the busiest rank, the one that plans refer to.
    const SeriesColumn& cause(CommonCause cause) const;
    double last(StepColumn column) const; ///< NaN when empty
    /// Returns `wanted` for the steps with a recorded `metric`. An import may lack a metric entirely or
    /// before some step: unrecorded values are absent from views, values recorded as NaN are not.
    SeriesColumn recorded(StepColumn wanted, StepColumn metric) const
    {
        return column(wanted).from(m_unrecorded[static_cast<std::size_t>(metric)]);
    }
    /// Marks the metric as unrecorded in the first `rows` rows.
    void setUnrecorded(StepColumn metric, qsizetype rows)
    {
        m_unrecorded[static_cast<std::size_t>(metric)] = rows;
    }
    /// Returns the values in `column` of the steps whose update was skipped because gradients overflowed.
    QList<double> skipped(StepColumn column) const;
    /// True when the step's update was skipped.
    bool isSkipped(qsizetype row) const { return m_columns[kSkipped][row] > 0; }
    /// Returns the row closest to `value` in an ascending column; -1 when empty.
    qsizetype nearestRow(StepColumn wanted, double value) const { return column(wanted).nearest(value); }

    std::vector<RunAttempt> attempts() const;
    /// True when an attempt after this one has replaced the step.
    bool isReplaced(std::int64_t step, std::uint32_t attempt) const;
    /// Increases when an attempt begins, or turns out to begin earlier, so that it replaces further steps.
    int restarts() const { return m_restarts; }
    /// Increases when existing rows change or vanish, so that derived data must be recomputed.
    int rewrites() const { return m_rewrites; }

    /// Returns the column's name in a series file.
    static QString nameOf(StepColumn column) { return nameOf(static_cast<std::size_t>(column)); }
    /// Returns all columns by name, for the series file.
    SeriesTable toSeries() const;
    /// Restores the table of toSeries(). A table with fewer columns (an import) gets NaN, unrecorded, for
    /// missing ones, and training time from the wall clock. BadInput without steps and wall clock.
    static Result<StepTable> fromSeries(const SeriesTable& series, const std::vector<RunAttempt>& attempts);

private:
    static constexpr std::size_t kFirstCause = kStepColumns;
    static constexpr std::size_t kTokensInStep = kFirstCause + kCommonCauses;
    static constexpr std::size_t kAttempt = kTokensInStep + 1;
    static constexpr std::size_t kSkipped = kAttempt + 1;
    static constexpr std::size_t kAllColumns = kSkipped + 1;
    using Row = std::array<double, kAllColumns>;

    static QString nameOf(std::size_t column);
    bool noteAttempt(std::int64_t step, std::uint32_t attempt, const Instant& time);
    void dropReplacedRows(std::int64_t fromStep, std::uint32_t byAttempt);
    void insertRow(const Row& row);
    void appendRow(Row row);
    std::vector<Row> takeFrom(qsizetype row);
    void takeTrainingTimeFromClock();

    std::array<SeriesColumn, kAllColumns> m_columns;
    std::array<qsizetype, kStepColumns> m_unrecorded{};
    QList<qsizetype> m_skippedRows;
    std::map<std::uint32_t, RunAttempt> m_attempts;
    int m_rewrites = 0;
    int m_restarts = 0;
};

} // namespace trainyard
