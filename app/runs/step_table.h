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

/// One figure per step. Derived ones say from what.
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

/// What the table of a run's steps is called in its series file.
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

/// A run's steps as columns, ascending by step, ready to be plotted. A value: copies share what does not
/// change, so a view may keep one while records go on coming.
///
/// An attempt that resumed at step s replaces everything earlier attempts wrote from s on: the columns are
/// those of a run to which nothing happened. The result does not depend on the order in which records come.
class StepTable {
public:
    /// True when the table changed (false for a step that a later attempt has replaced already).
    bool add(const StepRecord& record, std::uint32_t attempt, const Instant& time);

    qsizetype size() const { return m_columns[0].size(); }
    bool isEmpty() const { return size() == 0; }
    const SeriesColumn& column(StepColumn column) const;
    /// Seconds of each step that `cause` took of the rank that worked longest: the one that plans speak of.
    const SeriesColumn& cause(CommonCause cause) const;
    double last(StepColumn column) const; ///< NaN when empty
    /// `wanted` of the steps for which `figure` was recorded, which for an import may be none, or those from
    /// a later step on: what was never recorded is absent from a view, what was recorded as NaN is not.
    SeriesColumn recorded(StepColumn wanted, StepColumn figure) const
    {
        return column(wanted).from(m_unrecorded[static_cast<std::size_t>(figure)]);
    }
    /// The first `rows` rows have no such figure.
    void setUnrecorded(StepColumn figure, qsizetype rows)
    {
        m_unrecorded[static_cast<std::size_t>(figure)] = rows;
    }
    /// Of the steps whose update was skipped, because gradients overflowed: their values in `column`.
    QList<double> skipped(StepColumn column) const;
    /// Its update was skipped.
    bool isSkipped(qsizetype row) const { return m_columns[kSkipped][row] > 0; }
    /// Row of the step closest to `value` in an ascending column; -1 when empty.
    qsizetype nearestRow(StepColumn wanted, double value) const { return column(wanted).nearest(value); }

    std::vector<RunAttempt> attempts() const;
    /// Grows when rows that were there already changed or vanished; what was made of them then starts over
    /// instead of going on.
    int rewrites() const { return m_rewrites; }

    /// The column's name in a series file.
    static QString nameOf(StepColumn column) { return nameOf(static_cast<std::size_t>(column)); }
    /// Every column by its name, for the series file.
    SeriesTable toSeries() const;
    /// The table that toSeries() gave. A table with less (imported figures) has NaN, unrecorded, for what it
    /// lacks, and training time from the wall clock. BadInput without steps and wall clock.
    static Result<StepTable> fromSeries(const SeriesTable& series, const std::vector<RunAttempt>& attempts);

private:
    static constexpr std::size_t kFirstCause = kStepColumns;
    static constexpr std::size_t kTokensInStep = kFirstCause + kCommonCauses;
    static constexpr std::size_t kAttempt = kTokensInStep + 1;
    static constexpr std::size_t kSkipped = kAttempt + 1;
    static constexpr std::size_t kAllColumns = kSkipped + 1;
    using Row = std::array<double, kAllColumns>;

    static QString nameOf(std::size_t column);
    bool isReplaced(std::int64_t step, std::uint32_t attempt) const;
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
};

} // namespace trainyard
