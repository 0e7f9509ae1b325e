#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include <QList>

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

/// A stretch of the run between a start (or resume) and its end.
struct RunAttempt {
    std::uint32_t number = 1;
    std::int64_t firstStep = 0; ///< 0 = it reached no step
    std::int64_t lastStep = 0;  ///< the last one it wrote, also where a later attempt replaced it
    std::int64_t startedNs = 0; ///< wall clock of its first step record
    std::int64_t endedNs = 0;   ///< wall clock of its last one

    bool operator==(const RunAttempt&) const = default;
};

/// A run's steps as columns, ascending by step, ready to be plotted.
///
/// An attempt that resumed at step s replaces everything earlier attempts wrote from s on: the columns are
/// those of a run to which nothing happened. The result does not depend on the order in which records come.
class StepTable {
public:
    /// True when the table changed (false for a step that a later attempt has replaced already).
    bool add(const StepRecord& record, std::uint32_t attempt, const Instant& time);

    qsizetype size() const { return m_columns[0].size(); }
    bool isEmpty() const { return size() == 0; }
    const QList<double>& column(StepColumn column) const;
    /// Seconds of each step that `cause` took of the rank that worked longest: the one that plans speak of.
    const QList<double>& cause(CommonCause cause) const;
    double last(StepColumn column) const; ///< NaN when empty
    /// Of the steps whose update was skipped, because gradients overflowed: their values in `column`.
    QList<double> skipped(StepColumn column) const;
    /// Row of the step closest to `value` in an ascending column; -1 when empty.
    qsizetype nearestRow(StepColumn column, double value) const;

    std::vector<RunAttempt> attempts() const;
    /// Grows when rows that were there already changed or vanished; a plot then starts over instead of
    /// appending.
    int rewrites() const { return m_rewrites; }

private:
    QList<double>& at(StepColumn column) { return m_columns[static_cast<std::size_t>(column)]; }
    bool isReplaced(std::int64_t step, std::uint32_t attempt) const;
    void noteAttempt(std::int64_t step, std::uint32_t attempt, const Instant& time);
    void dropReplacedRows(std::int64_t fromStep, std::uint32_t byAttempt);
    void insertRow(qsizetype row, const StepRecord& record, std::uint32_t attempt, const Instant& time);
    void removeRow(qsizetype row);
    void sumFrom(qsizetype row);

    std::array<QList<double>, kStepColumns> m_columns;
    std::array<QList<double>, kCommonCauses> m_causes;
    QList<double> m_tokensInStep;
    QList<std::uint32_t> m_attemptOfRow;
    QList<bool> m_isSkipped; ///< by row
    std::map<std::uint32_t, RunAttempt> m_attempts;
    int m_rewrites = 0;
};

} // namespace trainyard
