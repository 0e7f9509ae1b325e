#include "app/runs/evaluation_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "engine/records/evaluation_metrics.h"

namespace trainyard {

namespace {

constexpr double kUnknownFigure = std::numeric_limits<double>::quiet_NaN();

constexpr std::size_t indexOf(EvaluationColumn column)
{
    return static_cast<std::size_t>(column);
}

/// In the order of EvaluationColumn; a series file wants the first two there.
constexpr std::array<QLatin1String, kEvaluationColumns> kEvaluationNames{
    kStepSeries,
    kWallSeries,
    QLatin1String("loss"),
    QLatin1String("token loss"),
    QLatin1String("sequence loss"),
    QLatin1String("token accuracy"),
    QLatin1String("sequence accuracy"),
    QLatin1String("bits per byte"),
    QLatin1String("tokens"),
    QLatin1String("rows"),
    QLatin1String("seconds"),
    QLatin1String("best"),
    QLatin1String("attempt"),
    QLatin1String("task"),
    QLatin1String("f1"),
    QLatin1String("matthews"),
    QLatin1String("pearson"),
    QLatin1String("spearman"),
    QLatin1String("exact match"),
};

std::optional<double> known(double figure)
{
    return std::isnan(figure) ? std::nullopt : std::optional(figure);
}

/// Files of earlier versions end before them.
bool isOfTask(std::size_t column)
{
    return column >= indexOf(EvaluationColumn::Task);
}

SeriesColumn withoutTask(std::size_t column, qsizetype rows)
{
    const double value = column == indexOf(EvaluationColumn::Task) ? 0 : kUnknownFigure;
    return SeriesColumn::filled(value, rows);
}

/// Where each figure of a task is kept.
constexpr std::array<std::pair<EvaluationColumn, std::optional<double> TaskMetrics::*>, 5> kTaskFigures{{
    {EvaluationColumn::F1, &TaskMetrics::f1},
    {EvaluationColumn::Matthews, &TaskMetrics::matthews},
    {EvaluationColumn::Pearson, &TaskMetrics::pearson},
    {EvaluationColumn::Spearman, &TaskMetrics::spearman},
    {EvaluationColumn::ExactMatch, &TaskMetrics::exactMatch},
}};

} // namespace

void EvaluationTable::add(const EvaluationRecord& record, std::uint32_t attempt, const Instant& time)
{
    Row row{};
    const auto put = [&row](EvaluationColumn column, double value) { row[indexOf(column)] = value; };
    put(EvaluationColumn::Step, static_cast<double>(record.step));
    put(EvaluationColumn::WallSeconds, static_cast<double>(time.wallNs) / 1e9);
    put(EvaluationColumn::Loss, record.loss);
    put(EvaluationColumn::TokenLoss, record.tokenLoss);
    put(EvaluationColumn::SequenceLoss, record.sequenceLoss);
    put(EvaluationColumn::TokenAccuracy, record.tokenAccuracy);
    put(EvaluationColumn::SequenceAccuracy, record.sequenceAccuracy.value_or(kUnknownFigure));
    put(EvaluationColumn::BitsPerByte, record.bitsPerByte.value_or(kUnknownFigure));
    put(EvaluationColumn::Tokens, static_cast<double>(record.tokens));
    put(EvaluationColumn::Rows, static_cast<double>(record.rows));
    put(EvaluationColumn::Seconds, record.seconds);
    put(EvaluationColumn::Best, record.best ? 1 : 0);
    put(EvaluationColumn::Attempt, attempt);
    put(EvaluationColumn::Task, static_cast<double>(record.task.kind));
    for (const auto& [place, member] : kTaskFigures)
        put(place, (record.task.*member).value_or(kUnknownFigure));
    const SeriesColumn& steps = column(EvaluationColumn::Step);
    const qsizetype place = steps.lowerBound(row[indexOf(EvaluationColumn::Step)]);
    const bool isKnown = place < size() && steps[place] == row[indexOf(EvaluationColumn::Step)];
    if (!isKnown || column(EvaluationColumn::Attempt)[place] <= attempt)
        insert(place, row);
}

void EvaluationTable::dropReplaced(const StepTable& steps)
{
    const auto isReplaced = [&](const Row& row) {
        return steps.isReplaced(static_cast<std::int64_t>(row[indexOf(EvaluationColumn::Step)]),
                                static_cast<std::uint32_t>(row[indexOf(EvaluationColumn::Attempt)]));
    };
    std::vector<Row> rows = takeFrom(0);
    m_rewrites += std::erase_if(rows, isReplaced) > 0;
    for (const Row& row : rows)
        append(row);
}

const SeriesColumn& EvaluationTable::column(EvaluationColumn column) const
{
    return m_columns[indexOf(column)];
}

double EvaluationTable::last(EvaluationColumn wanted) const
{
    return isEmpty() ? kUnknownFigure : column(wanted).last();
}

double EvaluationTable::atLowestLoss(EvaluationColumn wanted) const
{
    const qsizetype lowest = lowestLossRow();
    return lowest < 0 ? kUnknownFigure : column(wanted)[lowest];
}

EvaluationRecord EvaluationTable::at(qsizetype row) const
{
    const auto figure = [&](EvaluationColumn wanted) { return column(wanted)[row]; };
    EvaluationRecord record;
    record.step = static_cast<std::int64_t>(figure(EvaluationColumn::Step));
    record.loss = figure(EvaluationColumn::Loss);
    record.tokenLoss = figure(EvaluationColumn::TokenLoss);
    record.sequenceLoss = figure(EvaluationColumn::SequenceLoss);
    record.tokenAccuracy = figure(EvaluationColumn::TokenAccuracy);
    record.sequenceAccuracy = known(figure(EvaluationColumn::SequenceAccuracy));
    record.bitsPerByte = known(figure(EvaluationColumn::BitsPerByte));
    record.tokens = static_cast<std::int64_t>(figure(EvaluationColumn::Tokens));
    record.rows = static_cast<std::int64_t>(figure(EvaluationColumn::Rows));
    record.seconds = figure(EvaluationColumn::Seconds);
    record.best = figure(EvaluationColumn::Best) > 0;
    record.task.kind = static_cast<TaskKind>(static_cast<int>(figure(EvaluationColumn::Task)));
    for (const auto& [place, member] : kTaskFigures)
        record.task.*member = known(figure(place));
    return record;
}

qsizetype EvaluationTable::bestRow(EvaluationMetric metric) const
{
    const SeriesColumn& values =
        column(metric == EvaluationMetric::Loss ? EvaluationColumn::Loss : EvaluationColumn::TokenAccuracy);
    qsizetype best = -1;
    for (qsizetype row = 0; row < values.size(); ++row) {
        if (std::isfinite(values[row]) && (best < 0 || isBetter(values[row], values[best], metric)))
            best = row;
    }
    return best;
}

SeriesColumn EvaluationTable::positions(const StepTable& steps, StepColumn axis) const
{
    const SeriesColumn& evaluated = column(EvaluationColumn::Step);
    if (axis == StepColumn::Step)
        return evaluated;
    SeriesColumn positions;
    for (qsizetype row = 0; row < evaluated.size() && !steps.isEmpty(); ++row)
        positions.append(steps.column(axis)[steps.nearestRow(StepColumn::Step, evaluated[row])]);
    return positions;
}

/// At its place, instead of a row of the same step.
void EvaluationTable::insert(qsizetype at, const Row& row)
{
    if (at == size())
        return append(row);
    const std::vector<Row> later = takeFrom(at);
    append(row);
    for (const Row& other : later) {
        if (other[indexOf(EvaluationColumn::Step)] != row[indexOf(EvaluationColumn::Step)])
            append(other);
    }
    ++m_rewrites;
}

void EvaluationTable::append(Row row)
{
    double& wall = row[indexOf(EvaluationColumn::WallSeconds)];
    if (!isEmpty()) // a clock may have been set back
        wall = std::max(wall, column(EvaluationColumn::WallSeconds).last());
    for (std::size_t i = 0; i < row.size(); ++i)
        m_columns[i].append(row[i]);
}

std::vector<EvaluationTable::Row> EvaluationTable::takeFrom(qsizetype first)
{
    std::vector<Row> rows;
    for (qsizetype row = first; row < size(); ++row) {
        Row& taken = rows.emplace_back();
        for (std::size_t i = 0; i < taken.size(); ++i)
            taken[i] = m_columns[i][row];
    }
    for (SeriesColumn& column : m_columns)
        column.truncate(first);
    return rows;
}

SeriesTable EvaluationTable::toSeries() const
{
    SeriesTable series{kEvaluationsTable, {}, {}};
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        series.names.append(kEvaluationNames[i]);
        series.values.append(m_columns[i]);
    }
    return series;
}

Result<EvaluationTable> EvaluationTable::fromSeries(const SeriesTable& series)
{
    EvaluationTable table;
    for (std::size_t i = 0; i < table.m_columns.size(); ++i) {
        const qsizetype found = series.names.indexOf(kEvaluationNames[i]);
        if (found < 0 && !isOfTask(i))
            return badInput("series of evaluations without " + QString(kEvaluationNames[i]).toStdString());
        table.m_columns[i] = found >= 0 ? series.values[found] : withoutTask(i, table.size());
    }
    return table;
}

} // namespace trainyard
