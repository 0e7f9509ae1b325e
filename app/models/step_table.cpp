#include "app/models/step_table.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double perSecond(std::int64_t count, double seconds)
{
    return count > 0 && seconds > 0 ? static_cast<double>(count) / seconds : kNaN;
}

TimeByCommonCause timeOfBusiestRank(const StepRecord& record)
{
    constexpr auto kWork = static_cast<std::size_t>(CommonCause::Compute);
    TimeByCommonCause busiest{};
    for (const RankFigures& rank : record.ranks) {
        const TimeByCommonCause time = byCommonCause(rank.seconds);
        if (time[kWork] > busiest[kWork])
            busiest = time;
    }
    return busiest;
}

double fullestRank(const StepRecord& record)
{
    Bytes most = 0;
    for (const RankFigures& rank : record.ranks)
        most = std::max(most, rank.peakTotal);
    return static_cast<double>(most);
}

} // namespace

bool StepTable::add(const StepRecord& record, std::uint32_t attempt, const Instant& time)
{
    noteAttempt(record.step, attempt, time);
    if (isReplaced(record.step, attempt))
        return false;
    dropReplacedRows(m_attempts[attempt].firstStep, attempt);

    const QList<double>& steps = column(StepColumn::Step);
    const auto place = std::lower_bound(steps.begin(), steps.end(), static_cast<double>(record.step));
    const qsizetype row = place - steps.begin();
    const bool appended = row == steps.size();
    if (!appended && *place == static_cast<double>(record.step))
        removeRow(row);
    insertRow(row, record, attempt, time);
    if (!appended)
        ++m_rewrites;
    sumFrom(row);
    return true;
}

const QList<double>& StepTable::column(StepColumn column) const
{
    return m_columns[static_cast<std::size_t>(column)];
}

const QList<double>& StepTable::cause(CommonCause cause) const
{
    return m_causes[static_cast<std::size_t>(cause)];
}

double StepTable::last(StepColumn wanted) const
{
    return isEmpty() ? kNaN : column(wanted).last();
}

QList<double> StepTable::skipped(StepColumn wanted) const
{
    QList<double> values;
    for (qsizetype row = 0; row < size(); ++row) {
        if (m_isSkipped[row])
            values.append(column(wanted)[row]);
    }
    return values;
}

qsizetype StepTable::nearestRow(StepColumn wanted, double value) const
{
    const QList<double>& values = column(wanted);
    if (values.isEmpty())
        return -1;
    const qsizetype after = std::lower_bound(values.begin(), values.end(), value) - values.begin();
    if (after == 0)
        return 0;
    if (after == values.size())
        return after - 1;
    return value - values[after - 1] <= values[after] - value ? after - 1 : after;
}

std::vector<RunAttempt> StepTable::attempts() const
{
    std::vector<RunAttempt> list;
    for (const auto& [number, attempt] : m_attempts)
        list.push_back(attempt);
    return list;
}

bool StepTable::isReplaced(std::int64_t step, std::uint32_t attempt) const
{
    return std::any_of(m_attempts.upper_bound(attempt), m_attempts.end(),
                       [step](const auto& later) { return later.second.firstStep <= step; });
}

void StepTable::noteAttempt(std::int64_t step, std::uint32_t attempt, const Instant& time)
{
    const auto [entry, isNew] =
        m_attempts.try_emplace(attempt, RunAttempt{attempt, step, step, time.wallNs, time.wallNs});
    if (isNew)
        return;
    RunAttempt& known = entry->second;
    known.firstStep = std::min(known.firstStep, step);
    known.lastStep = std::max(known.lastStep, step);
    known.startedNs = std::min(known.startedNs, time.wallNs);
    known.endedNs = std::max(known.endedNs, time.wallNs);
}

void StepTable::dropReplacedRows(std::int64_t fromStep, std::uint32_t byAttempt)
{
    const QList<double>& steps = column(StepColumn::Step);
    bool dropped = false;
    for (qsizetype row = steps.size() - 1; row >= 0 && steps[row] >= static_cast<double>(fromStep); --row) {
        if (m_attemptOfRow[row] >= byAttempt)
            continue;
        removeRow(row);
        dropped = true;
    }
    if (dropped) {
        ++m_rewrites;
        sumFrom(0);
    }
}

void StepTable::insertRow(qsizetype row, const StepRecord& record, std::uint32_t attempt, const Instant& time)
{
    const auto put = [this, row](StepColumn column, double value) { at(column).insert(row, value); };
    put(StepColumn::Step, static_cast<double>(record.step));
    put(StepColumn::Loss, record.loss);
    put(StepColumn::MlmLoss, record.mlmLoss);
    put(StepColumn::NspLoss, record.nspLoss);
    put(StepColumn::LearningRate, record.learningRate);
    put(StepColumn::GradientNorm, record.gradientNorm);
    put(StepColumn::StepSeconds, record.stepSeconds);
    put(StepColumn::SequencesPerSecond, perSecond(record.sequences, record.stepSeconds));
    put(StepColumn::TokensPerSecond, perSecond(record.tokens, record.stepSeconds));
    put(StepColumn::PeakMemory, fullestRank(record));
    put(StepColumn::Samples, static_cast<double>(record.consumedSamples));
    put(StepColumn::Tokens, 0);
    put(StepColumn::TrainingSeconds, 0);
    put(StepColumn::WallSeconds, static_cast<double>(time.wallNs) / 1e9);
    const TimeByCommonCause seconds = timeOfBusiestRank(record);
    for (std::size_t cause = 0; cause < kCommonCauses; ++cause)
        m_causes[cause].insert(row, seconds[cause]);
    m_tokensInStep.insert(row, static_cast<double>(record.tokens));
    m_attemptOfRow.insert(row, attempt);
    m_isSkipped.insert(row, record.skipped);
}

void StepTable::removeRow(qsizetype row)
{
    for (QList<double>& column : m_columns)
        column.removeAt(row);
    for (QList<double>& cause : m_causes)
        cause.removeAt(row);
    m_tokensInStep.removeAt(row);
    m_attemptOfRow.removeAt(row);
    m_isSkipped.removeAt(row);
}

void StepTable::sumFrom(qsizetype row)
{
    QList<double>& tokens = at(StepColumn::Tokens);
    QList<double>& seconds = at(StepColumn::TrainingSeconds);
    const QList<double>& stepSeconds = column(StepColumn::StepSeconds);
    for (qsizetype i = row; i < size(); ++i) {
        tokens[i] = m_tokensInStep[i] + (i > 0 ? tokens[i - 1] : 0);
        // A damaged figure must not make the axis of all later steps unusable.
        const double length = std::isfinite(stepSeconds[i]) ? stepSeconds[i] : 0;
        seconds[i] = length + (i > 0 ? seconds[i - 1] : 0);
    }
}

} // namespace trainyard
