#include "app/plan/plan_tables.h"

#include <cmath>
#include <functional>

#include "app/base/display_text.h"

namespace trainyard {

namespace {

constexpr double kUnknown = RunPace::kUnknown;

using Display = std::function<QString(double)>;

QString differenceText(double planned, double measured)
{
    constexpr double kTimes = 2; // percents beyond are hard to read
    const double ratio = measured / planned;
    if (!(planned > 0) || !std::isfinite(ratio))
        return QStringLiteral("–");
    if (ratio >= kTimes)
        return QStringLiteral("× ") + displayNumber(ratio);
    const QString share = displayPercent(std::fabs(ratio - 1));
    return share == displayPercent(0) ? QStringLiteral("=")
                                      : (ratio > 1 ? QStringLiteral("+") : QStringLiteral("−")) + share;
}

QStringList comparedCells(double planned, double measured, const Display& display)
{
    return {display(planned), display(measured), differenceText(planned, measured)};
}

QStringList comparedColumns(const QStringList& first)
{
    return first +
           QStringList{QStringLiteral("planned"), QStringLiteral("measured"), QStringLiteral("difference")};
}

/// A figure of both sides, unknown where a side is.
QStringList comparedFigure(const PlanComparison& comparison, double RunPace::*figure, const Display& display)
{
    return comparedCells(comparison.planned ? *comparison.planned.*figure : kUnknown,
                         comparison.measured ? *comparison.measured.*figure : kUnknown, display);
}

double causeOf(const std::optional<RunPace>& pace, std::size_t cause)
{
    return pace ? pace->byCause[cause] : kUnknown;
}

double plannedTotal(const DeviceMemory& rank)
{
    return rank.planned ? static_cast<double>(totalOf(*rank.planned)) : kUnknown;
}

QString textOf(std::string_view name)
{
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

/// Sums over the ranks of one host.
struct HostSum {
    QString host;
    int ranks = 0;
    double planned = 0;
    double measured = 0;
};

QList<HostSum> sumsByHost(const QList<DeviceMemory>& ranks)
{
    QList<HostSum> sums;
    for (const DeviceMemory& rank : ranks) {
        if (sums.isEmpty() || sums.last().host != rank.host)
            sums.append({rank.host});
        HostSum& sum = sums.last();
        ++sum.ranks;
        sum.planned += plannedTotal(rank);
        sum.measured += static_cast<double>(rank.peak);
    }
    return sums;
}

} // namespace

TextTable stepTimeTable(const PlanComparison& comparison)
{
    TextTable table{comparedColumns({QStringLiteral("cause")}), {}};
    for (std::size_t i = 0; i < kCommonCauses; ++i) {
        const double planned = causeOf(comparison.planned, i);
        const double measured = causeOf(comparison.measured, i);
        if (planned > 0 || measured > 0)
            table.rows << QStringList(textOf(nameOf(static_cast<CommonCause>(i)))) +
                              comparedCells(planned, measured, displaySeconds);
    }
    table.rows << QStringList(QStringLiteral("step")) +
                      comparedFigure(comparison, &RunPace::stepSeconds, displaySeconds);
    return table;
}

TextTable paceTable(const PlanComparison& comparison)
{
    TextTable table{comparedColumns({QStringLiteral("figure")}), {}};
    const auto add = [&](const QString& name, double RunPace::*figure, const Display& display) {
        table.rows << QStringList(name) + comparedFigure(comparison, figure, display);
    };
    add(QStringLiteral("sequences/s"), &RunPace::sequencesPerSecond, displayNumber);
    add(QStringLiteral("tokens/day"), &RunPace::tokensPerDay, displayLarge);
    add(QStringLiteral("MFU"), &RunPace::modelUtilization, displayPercent);
    add(QStringLiteral("HFU"), &RunPace::hardwareUtilization, displayPercent);
    add(QStringLiteral("all steps"), &RunPace::days,
        [](double days) { return displaySeconds(days * 86400); });
    if (comparison.planned && std::isfinite(comparison.planned->cost))
        add(QStringLiteral("cost, all steps, %1 of %2").arg(comparison.currency, comparison.priceDate),
            &RunPace::cost, displayNumber);
    return table;
}

TextTable rankMemoryTable(const QList<DeviceMemory>& ranks)
{
    TextTable table{comparedColumns({QStringLiteral("rank"), QStringLiteral("host")}), {}};
    for (const DeviceMemory& rank : ranks)
        table.rows << QStringList{rank.name, oneLine(rank.host)} +
                          comparedCells(plannedTotal(rank), static_cast<double>(rank.peak), displayBytes);
    return table;
}

TextTable hostMemoryTable(const QList<DeviceMemory>& ranks)
{
    TextTable table{comparedColumns({QStringLiteral("host"), QStringLiteral("ranks")}), {}};
    for (const HostSum& sum : sumsByHost(ranks))
        table.rows << QStringList{oneLine(sum.host), QString::number(sum.ranks)} +
                          comparedCells(sum.planned, sum.measured, displayBytes);
    return table;
}

TextTable categoryMemoryTable(const DeviceMemory& rank)
{
    TextTable table{comparedColumns({QStringLiteral("category")}), {}};
    for (std::size_t i = 0; i < kMemoryCategories; ++i)
        table.rows << QStringList(textOf(nameOf(static_cast<MemoryCategory>(i)))) +
                          comparedCells(rank.planned ? static_cast<double>((*rank.planned)[i]) : kUnknown,
                                        static_cast<double>(rank.categories[i]), displayBytes);
    table.rows << QStringList(QStringLiteral("all")) +
                      comparedCells(plannedTotal(rank), static_cast<double>(rank.peak), displayBytes);
    return table;
}

} // namespace trainyard
