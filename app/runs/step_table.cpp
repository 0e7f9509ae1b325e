#include "app/runs/step_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace trainyard {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double perSecond(std::int64_t count, double seconds)
{
    return count > 0 && seconds > 0 ? static_cast<double>(count) / seconds : kNaN;
}

constexpr std::size_t indexOf(StepColumn column)
{
    return static_cast<std::size_t>(column);
}

constexpr std::array<QLatin1String, kStepColumns> kColumnNames{
    kStepSeries,
    QLatin1String("loss"),
    QLatin1String("masked-lm loss"),
    QLatin1String("next-sentence loss"),
    QLatin1String("learning rate"),
    QLatin1String("gradient norm"),
    QLatin1String("step seconds"),
    QLatin1String("sequences per second"),
    QLatin1String("tokens per second"),
    QLatin1String("peak memory"),
    QLatin1String("samples"),
    QLatin1String("tokens"),
    QLatin1String("training seconds"),
    kWallSeries,
};

/// Returns the columns that come first in a series file.
std::array<std::size_t, 2> positionColumns()
{
    return {indexOf(StepColumn::Step), indexOf(StepColumn::WallSeconds)};
}

TimeByCommonCause timeOfBusiestRank(const StepRecord& record)
{
    constexpr auto kWork = static_cast<std::size_t>(CommonCause::Compute);
    TimeByCommonCause busiest{};
    for (const RankStats& rank : record.ranks) {
        const TimeByCommonCause time = byCommonCause(rank.seconds);
        if (time[kWork] > busiest[kWork])
            busiest = time;
    }
    return busiest;
}

double fullestRank(const StepRecord& record)
{
    Bytes most = 0;
    for (const RankStats& rank : record.ranks)
        most = std::max(most, rank.peakTotal);
    return static_cast<double>(most);
}

SeriesColumn sinceFirst(const SeriesColumn& times)
{
    SeriesColumn elapsed;
    for (const double time : times)
        elapsed.append(time - times.first());
    return elapsed;
}

QList<qsizetype> rowsAboveZero(const SeriesColumn& column)
{
    QList<qsizetype> rows;
    for (qsizetype chunk = 0; chunk < column.chunkCount(); ++chunk) {
        if (!(column.chunkSummary(chunk).max > 0))
            continue;
        const ChunkView view = column.chunk(chunk);
        for (qsizetype row = 0; row < view.rows; ++row) {
            if (view.values[row] > 0)
                rows.append(chunk * kChunkRows + row);
        }
    }
    return rows;
}

} // namespace

QString StepTable::nameOf(std::size_t column)
{
    if (column < kStepColumns)
        return kColumnNames[column];
    if (column < kTokensInStep) {
        const std::string_view cause = trainyard::nameOf(static_cast<CommonCause>(column - kFirstCause));
        return QStringLiteral("seconds of ") + QString::fromUtf8(cause.data(), qsizetype(cause.size()));
    }
    return column == kTokensInStep ? QStringLiteral("tokens in step")
           : column == kAttempt    ? QStringLiteral("attempt")
                                   : QStringLiteral("skipped");
}

bool StepTable::add(const StepRecord& record, std::uint32_t attempt, const Instant& time)
{
    const bool reachesBack = noteAttempt(record.step, attempt, time);
    if (isReplaced(record.step, attempt))
        return false;
    if (reachesBack)
        dropReplacedRows(m_attempts[attempt].firstStep, attempt);

    Row row{};
    const auto put = [&row](StepColumn column, double value) { row[indexOf(column)] = value; };
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
    put(StepColumn::WallSeconds, static_cast<double>(time.wallNs) / 1e9);
    const TimeByCommonCause seconds = timeOfBusiestRank(record);
    std::copy(seconds.begin(), seconds.end(), row.begin() + kFirstCause);
    row[kTokensInStep] = static_cast<double>(record.tokens);
    row[kAttempt] = attempt;
    row[kSkipped] = record.skipped ? 1 : 0;
    insertRow(row);
    return true;
}

const SeriesColumn& StepTable::column(StepColumn column) const
{
    return m_columns[indexOf(column)];
}

const SeriesColumn& StepTable::cause(CommonCause cause) const
{
    return m_columns[kFirstCause + static_cast<std::size_t>(cause)];
}

double StepTable::last(StepColumn wanted) const
{
    return isEmpty() ? kNaN : column(wanted).last();
}

QList<double> StepTable::skipped(StepColumn wanted) const
{
    QList<double> values;
    for (const qsizetype row : m_skippedRows)
        values.append(column(wanted)[row]);
    return values;
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

/// Returns true if the attempt began earlier than known so far.
bool StepTable::noteAttempt(std::int64_t step, std::uint32_t attempt, const Instant& time)
{
    const auto [entry, isNew] =
        m_attempts.try_emplace(attempt, RunAttempt{attempt, step, step, time.wallNs, time.wallNs});
    RunAttempt& known = entry->second;
    const bool reachesBack = isNew || step < known.firstStep;
    m_restarts += reachesBack;
    known.firstStep = std::min(known.firstStep, step);
    known.lastStep = std::max(known.lastStep, step);
    known.startedNs = std::min(known.startedNs, time.wallNs);
    known.endedNs = std::max(known.endedNs, time.wallNs);
    return reachesBack;
}

void StepTable::dropReplacedRows(std::int64_t fromStep, std::uint32_t byAttempt)
{
    const std::vector<Row> later =
        takeFrom(column(StepColumn::Step).lowerBound(static_cast<double>(fromStep)));
    std::size_t kept = 0;
    for (const Row& row : later) {
        if (row[kAttempt] < byAttempt)
            continue;
        appendRow(row);
        ++kept;
    }
    m_rewrites += kept < later.size();
}

/// Inserts the row at its place, or replaces that of the same step.
void StepTable::insertRow(const Row& row)
{
    const double step = row[indexOf(StepColumn::Step)];
    const SeriesColumn& steps = column(StepColumn::Step);
    if (steps.isEmpty() || steps.last() < step)
        return appendRow(row);
    const std::vector<Row> later = takeFrom(steps.lowerBound(step));
    appendRow(row);
    for (const Row& other : later) {
        if (other[indexOf(StepColumn::Step)] != step)
            appendRow(other);
    }
    ++m_rewrites;
}

/// Appends the row, with the running sums.
void StepTable::appendRow(Row row)
{
    const double seconds = row[indexOf(StepColumn::StepSeconds)];
    const auto soFar = [this](StepColumn column) { return isEmpty() ? 0 : this->column(column).last(); };
    row[indexOf(StepColumn::Tokens)] = soFar(StepColumn::Tokens) + row[kTokensInStep];
    // Neither a damaged metric nor a clock that was set back may make the axes of all later steps unusable.
    row[indexOf(StepColumn::TrainingSeconds)] =
        soFar(StepColumn::TrainingSeconds) + (std::isfinite(seconds) ? seconds : 0);
    row[indexOf(StepColumn::WallSeconds)] =
        std::max(soFar(StepColumn::WallSeconds), row[indexOf(StepColumn::WallSeconds)]);
    if (row[kSkipped] > 0)
        m_skippedRows.append(size());
    for (std::size_t column = 0; column < kAllColumns; ++column)
        m_columns[column].append(row[column]);
}

std::vector<StepTable::Row> StepTable::takeFrom(qsizetype first)
{
    std::vector<Row> rows;
    for (qsizetype row = first; row < size(); ++row) {
        Row& taken = rows.emplace_back();
        for (std::size_t column = 0; column < kAllColumns; ++column)
            taken[column] = m_columns[column][row];
    }
    for (SeriesColumn& column : m_columns)
        column.truncate(first);
    m_skippedRows.removeIf([first](qsizetype row) { return row >= first; });
    return rows;
}

SeriesTable StepTable::toSeries() const
{
    SeriesTable series{kStepsTable, {}, {}};
    const auto put = [&](std::size_t column) {
        series.names.append(nameOf(column));
        series.values.append(m_columns[column]);
    };
    const auto first = positionColumns();
    for (const std::size_t column : first)
        put(column);
    for (std::size_t column = 0; column < kAllColumns; ++column) {
        if (std::find(first.begin(), first.end(), column) == first.end())
            put(column);
    }
    return series;
}

void StepTable::takeTrainingTimeFromClock()
{
    m_columns[indexOf(StepColumn::TrainingSeconds)] = sinceFirst(column(StepColumn::WallSeconds));
    setUnrecorded(StepColumn::TrainingSeconds, 0);
}

Result<StepTable> StepTable::fromSeries(const SeriesTable& series, const std::vector<RunAttempt>& attempts)
{
    StepTable table;
    for (std::size_t column = 0; column < kAllColumns; ++column) {
        const qsizetype found = series.names.indexOf(nameOf(column));
        table.m_columns[column] =
            found >= 0 ? series.values[found] : SeriesColumn::filled(kNaN, series.rows());
        if (found < 0 && column < kStepColumns)
            table.m_unrecorded[column] = series.rows();
    }
    for (const std::size_t column : positionColumns()) {
        if (!series.names.contains(nameOf(column)))
            return badInput("series without " + nameOf(column).toStdString());
    }
    if (!series.names.contains(nameOf(indexOf(StepColumn::TrainingSeconds))))
        table.takeTrainingTimeFromClock();
    table.m_skippedRows = rowsAboveZero(table.m_columns[kSkipped]);
    for (const RunAttempt& attempt : attempts)
        table.m_attempts[attempt.number] = attempt;
    return table;
}

} // namespace trainyard
