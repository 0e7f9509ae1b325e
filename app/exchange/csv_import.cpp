#include "app/exchange/csv_import.h"

#include <algorithm>
#include <map>

#include <QDateTime>

namespace trainyard {

namespace {

constexpr QLatin1String kRunEnd(" - ");    ///< between run and series, as W&B writes it
constexpr double kMillisecondsFrom = 1e11; ///< seconds since 1970 would be of the year 5138

const QStringList& usualStepNames()
{
    static const QStringList kNames{
        "step",  "global_step", "_step",       "iteration",           "iterations", "iter",
        "steps", "update",      "global step", "trainer/global_step", "train/step"};
    return kNames;
}

const QStringList& usualTimeNames()
{
    static const QStringList kNames{"wall time", "wall_time", "walltime", "_timestamp",
                                    "timestamp", "datetime",  "date",     "time"};
    return kNames;
}

QString firstOf(const CsvTable& table, const QStringList& names)
{
    for (const QString& name : names) {
        const CsvColumn* column = table.column(name);
        if (column && !column->cells.empty())
            return column->name;
    }
    return {};
}

bool isBoundOfBucket(const QString& name)
{
    return name.endsWith(QLatin1String("__MIN")) || name.endsWith(QLatin1String("__MAX"));
}

/// A column that holds numbers.
Result<const CsvColumn*> columnCalled(const CsvTable& table, const QString& name)
{
    const CsvColumn* column = table.column(name);
    if (!column)
        return badInput("there is no column \"" + name.toStdString() + "\"",
                        "its columns are: " + table.names().join(QStringLiteral(", ")).toStdString());
    if (column->cells.empty())
        return badInput("the column \"" + name.toStdString() + "\" has no numbers",
                        "choose another column, or leave it out");
    return column;
}

/// The values of a column by row; of rows without one that of the row before.
std::vector<double> byRow(const CsvTable& table, const CsvColumn& column)
{
    std::vector<double> values(table.rows, 0);
    double last = 0;
    auto cell = column.cells.begin();
    for (std::uint32_t row = 0; row < table.rows; ++row) {
        if (cell != column.cells.end() && cell->row == row)
            last = (cell++)->value;
        values[row] = last;
    }
    return values;
}

Result<std::vector<double>> stepsOf(const CsvTable& table, const QString& name)
{
    if (!name.isEmpty()) {
        TRAINYARD_TRY(const CsvColumn* column, columnCalled(table, name));
        return byRow(table, *column);
    }
    std::vector<double> counted(table.rows);
    for (std::uint32_t row = 0; row < table.rows; ++row)
        counted[row] = row + 1.0;
    return counted;
}

Result<std::vector<double>> timesOf(const CsvTable& table, const QString& name)
{
    if (name.isEmpty())
        return std::vector<double>(table.rows, 0);
    TRAINYARD_TRY(const CsvColumn* column, columnCalled(table, name));
    std::vector<double> times = byRow(table, *column);
    for (double& time : times)
        time = time >= kMillisecondsFrom ? time / 1000 : time;
    return times;
}

/// Run and series of a column: of W&B's "<run> - <series>" both, else the run is called `name`.
std::pair<QString, QString> partsOf(const QString& column, const QString& name)
{
    const qsizetype end = column.lastIndexOf(kRunEnd);
    return end > 0 ? std::pair(column.left(end), column.mid(end + kRunEnd.size())) : std::pair(name, column);
}

/// Bounds that a chart of W&B has of each point that it made of several.
bool hasBounds(const CsvTable& table, const QString& column)
{
    return table.column(column + QStringLiteral("__MIN")) || table.column(column + QStringLiteral("__MAX"));
}

PointSeries seriesOf(const CsvColumn& column, const QString& name, const std::vector<double>& steps,
                     const std::vector<double>& times)
{
    PointSeries series{name, {}};
    for (const CsvCell& cell : column.cells)
        series.points.push_back({steps[cell.row], times[cell.row], cell.value});
    putInOrder(series.points);
    return series;
}

/// By name, without what is known of the import as a whole.
Result<std::map<QString, LoadedRun>> runsOf(const CsvTable& table, const CsvColumns& columns,
                                            const QString& name)
{
    if (columns.series.isEmpty())
        return badInput("it has no numeric column besides steps and times",
                        "a table needs one column per series, with a number for each step");
    TRAINYARD_TRY(const auto steps, stepsOf(table, columns.step));
    TRAINYARD_TRY(const auto times, timesOf(table, columns.time));
    std::map<QString, LoadedRun> runs;
    for (const QString& wanted : columns.series) {
        TRAINYARD_TRY(const CsvColumn* column, columnCalled(table, wanted));
        const auto [runName, seriesName] = partsOf(column->name, name);
        LoadedRun& run = runs[runName];
        if (column->otherCells > 0)
            run.warnings << QStringLiteral("%1: skipped %2 cells that are not numbers")
                                .arg(column->name)
                                .arg(column->otherCells);
        if (hasBounds(table, column->name))
            run.warnings << QStringLiteral(
                                "%1: left out __MIN and __MAX, the bounds of points that a chart joined")
                                .arg(column->name);
        run.series.push_back(seriesOf(*column, seriesName, steps, times));
    }
    return runs;
}

} // namespace

CsvColumns guessColumns(const CsvTable& table)
{
    CsvColumns columns;
    columns.step = firstOf(table, usualStepNames());
    columns.time = firstOf(table, usualTimeNames());
    for (const CsvColumn& column : table.columns) {
        if (column.name != columns.step && column.name != columns.time && !column.cells.empty() &&
            !isBoundOfBucket(column.name))
            columns.series.append(column.name);
    }
    return columns;
}

Result<std::vector<LoadedRun>> loadCsv(const CsvTable& table, const CsvColumns& columns, const QString& name,
                                       const QString& source)
{
    auto runs = runsOf(table, columns, name);
    if (!runs.ok())
        return runs.error().in(source.toStdString());
    std::vector<LoadedRun> all;
    for (auto& [runName, run] : *runs) {
        run.import.name = runName;
        run.import.format = QStringLiteral("CSV");
        run.import.source = source;
        run.import.importedMs = QDateTime::currentMSecsSinceEpoch();
        QStringList names;
        for (const PointSeries& series : run.series)
            names.append(series.name);
        run.import.metrics = guessMetrics(names);
        all.push_back(std::move(run));
    }
    return all;
}

} // namespace trainyard
