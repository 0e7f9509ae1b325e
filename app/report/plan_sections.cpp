#include <algorithm>
#include <cmath>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/plan/plan_comparison.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

constexpr qsizetype kMaxRanks = 64; ///< beyond, hosts stand for their ranks

/// A layer for every kind, filled; or the planned ones, outlined.
template <typename Kind>
QList<ReportLayer> layersOf(std::size_t kinds, bool isPlanned)
{
    QList<ReportLayer> layers;
    for (std::size_t i = 0; i < kinds; ++i) {
        const auto kind = static_cast<Kind>(i);
        layers << ReportLayer{toQString(nameOf(kind)) + (isPlanned ? " (planned)" : ""),
                              colourOf(kind, ColourScheme::Light),
                              {},
                              isPlanned};
    }
    return layers;
}

/// One unit for all bars of a figure, in which the highest one is at least 1.
struct MemoryUnit {
    const char* name;
    double bytes;
};

MemoryUnit unitFor(const QList<DeviceMemory>& ranks)
{
    Bytes most = 0;
    for (const DeviceMemory& rank : ranks)
        most = std::max(most, rank.peak);
    return most < kGiB ? MemoryUnit{"MiB", static_cast<double>(kMiB)}
                       : MemoryUnit{"GiB", static_cast<double>(kGiB)};
}

/// The ranks' bytes of each category in `unit`.
void addValues(QList<ReportLayer>& layers, const MemoryByCategory& bytes, const MemoryUnit& unit)
{
    for (std::size_t c = 0; c < kMemoryCategories; ++c)
        layers[static_cast<qsizetype>(c)].values << static_cast<double>(bytes[c]) / unit.bytes;
}

bool hasPlan(const QList<DeviceMemory>& ranks)
{
    return std::ranges::all_of(ranks, [](const DeviceMemory& rank) { return rank.planned.has_value(); });
}

/// A bar for each device, in the order given.
ReportFigure memoryFigure(const QString& caption, const QString& xLabel, const QStringList& bars,
                          const QList<DeviceMemory>& devices)
{
    const MemoryUnit unit = unitFor(devices);
    ReportFigure figure{caption, xLabel, QString("memory (%1)").arg(unit.name)};
    figure.bars = bars;
    auto measured = layersOf<MemoryCategory>(kMemoryCategories, false);
    auto planned = layersOf<MemoryCategory>(kMemoryCategories, true);
    for (const DeviceMemory& device : devices) {
        addValues(measured, device.categories, unit);
        addValues(planned, device.planned.value_or(MemoryByCategory{}), unit);
    }
    figure.layers = measured;
    if (hasPlan(devices)) {
        figure.caption += "; outlines show the plan";
        figure.layers += planned;
    }
    return figure;
}

const DeviceMemory& fullestOf(const QList<DeviceMemory>& ranks)
{
    return *std::ranges::max_element(ranks, {}, &DeviceMemory::peak);
}

/// Ranks of one host are neighbours.
QList<DeviceMemory> fullestOfEachHost(const QList<DeviceMemory>& ranks)
{
    QList<DeviceMemory> fullest;
    for (const DeviceMemory& rank : ranks) {
        if (fullest.isEmpty() || fullest.last().host != rank.host)
            fullest << rank;
        else if (rank.peak > fullest.last().peak)
            fullest.last() = rank;
    }
    return fullest;
}

ReportFigure rankFigure(const QList<DeviceMemory>& ranks)
{
    QStringList bars;
    const bool byHost = ranks.size() > kMaxRanks;
    const QList<DeviceMemory> drawn = byHost ? fullestOfEachHost(ranks) : ranks;
    for (qsizetype i = 0; i < drawn.size(); ++i)
        bars << QString::number(i);
    return byHost ? memoryFigure("Peak memory of the fullest rank of each host", "host", bars, drawn)
                  : memoryFigure("Peak memory of each rank", "rank", bars, drawn);
}

void addPace(QList<ReportLayer>& layers, const std::optional<RunPace>& pace)
{
    for (std::size_t c = 0; c < kCommonCauses; ++c)
        layers[static_cast<qsizetype>(c)].values << (pace ? pace->byCause[c] : 0);
}

ReportFigure stepTimeFigure(const Runs& runs, const Plans& plans)
{
    ReportFigure figure{"Step time by cause, on the busiest rank", "run", "time (s)"};
    auto measured = layersOf<CommonCause>(kCommonCauses, false);
    auto planned = layersOf<CommonCause>(kCommonCauses, true);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!plans[i].measured)
            continue;
        figure.bars << labelOf(runs[i], runs);
        addPace(measured, plans[i].measured);
        addPace(planned, plans[i].planned);
    }
    figure.layers = measured;
    if (std::ranges::any_of(plans, [](const PlanComparison& plan) { return plan.planned.has_value(); })) {
        figure.caption += "; outlines show the plan";
        figure.layers += planned;
    }
    return figure;
}

QString aboutPlan(const PlanComparison& plan)
{
    const QString about =
        plan.planned ? "Planned for " + plan.hardware + " from the run's specification." : plan.whyNoTime;
    return plan.layoutChange.isEmpty() ? about : plan.layoutChange + " " + about;
}

/// What there is to say of the runs' plans; once where it is the same.
QList<ReportBlock> aboutPlans(const Runs& runs, const Plans& plans)
{
    const auto same = [&](const PlanComparison& plan) { return aboutPlan(plan) == aboutPlan(plans.front()); };
    if (std::ranges::all_of(plans, same))
        return {aboutPlan(plans.front())};
    QList<ReportBlock> blocks;
    for (std::size_t i = 0; i < runs.size(); ++i)
        blocks << labelOf(runs[i], runs) + ": " + aboutPlan(plans[i]);
    return blocks;
}

QString displayDifference(double planned, double measured)
{
    const double share = measured / planned - 1;
    return std::isfinite(share) ? (share < 0 ? "" : "+") + displayPercent(share) : displayPercent(share);
}

/// The fullest rank of each run that says what it holds.
ReportTable fullestTable(const Runs& runs, const Plans& plans)
{
    ReportTable table{
        "Fullest rank of each run", {"run", "rank", "host", "planned", "measured", "difference"}, {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (plans[i].memory.isEmpty())
            continue;
        const DeviceMemory& rank = fullestOf(plans[i].memory);
        const auto measured = static_cast<double>(rank.peak);
        const double planned = rank.planned ? static_cast<double>(totalOf(*rank.planned)) : RunPace::kUnknown;
        table.rows << QStringList{labelOf(runs[i], runs), rank.name,
                                  oneLine(rank.host),     displayBytes(planned),
                                  displayBytes(measured), displayDifference(planned, measured)};
    }
    return table;
}

ReportTable paceOverview(const Runs& runs, const Plans& plans)
{
    ReportTable table{
        "Typical step of each run", {"run", "planned", "measured", "difference", "sequences/s", "MFU"}, {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!plans[i].measured)
            continue;
        const RunPace planned = plans[i].planned.value_or(RunPace());
        const RunPace& measured = *plans[i].measured;
        table.rows << QStringList{labelOf(runs[i], runs),
                                  displaySeconds(planned.stepSeconds),
                                  displaySeconds(measured.stepSeconds),
                                  displayDifference(planned.stepSeconds, measured.stepSeconds),
                                  displayNumber(measured.sequencesPerSecond),
                                  displayPercent(measured.modelUtilization)};
    }
    return table;
}

/// Measured seconds; causes that take nothing in any run are left out.
ReportTable causeOverview(const Runs& runs, const Plans& plans)
{
    ReportTable table{"Measured step time by cause", {"run"}, {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (plans[i].measured)
            table.rows << QStringList{labelOf(runs[i], runs)};
    }
    for (std::size_t c = 0; c < kCommonCauses; ++c) {
        const auto takes = [c](const PlanComparison& plan) {
            return plan.measured && plan.measured->byCause[c] > 0;
        };
        if (std::ranges::none_of(plans, takes))
            continue;
        table.columns << toQString(nameOf(static_cast<CommonCause>(c)));
        qsizetype row = 0;
        for (const PlanComparison& plan : plans) {
            if (plan.measured)
                table.rows[row++] << displaySeconds(plan.measured->byCause[c]);
        }
    }
    return table;
}

} // namespace

ReportSection memorySection(const PlanComparison& plan)
{
    ReportSection section{"Memory per device", {}};
    const QList<DeviceMemory>& ranks = plan.memory;
    if (ranks.isEmpty())
        return section;
    section.blocks << rankFigure(ranks);
    if (ranks.size() <= kMaxRanks)
        section.blocks << captioned("Peak memory of each rank", rankMemoryTable(ranks));
    section.blocks << captioned("Peak memory on each host, sums over its ranks", hostMemoryTable(ranks))
                   << captioned("Fullest rank by category", categoryMemoryTable(fullestOf(ranks)));
    if (!hasPlan(ranks))
        section.blocks << plan.whyNoTime;
    return section;
}

ReportSection memoryOverview(const Runs& runs, const Plans& plans)
{
    QStringList bars;
    QList<DeviceMemory> fullest;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (plans[i].memory.isEmpty())
            continue;
        bars << labelOf(runs[i], runs);
        fullest << fullestOf(plans[i].memory);
    }
    if (fullest.isEmpty())
        return {};
    return {
        "Memory per device",
        {memoryFigure("Peak memory of the fullest rank", "run", bars, fullest), fullestTable(runs, plans)}};
}

ReportSection stepTimeSection(const Runs& runs, const Plans& plans)
{
    const PlanComparison& plan = plans.front();
    if (!plan.measured)
        return {};
    return {"Step time",
            {stepTimeFigure(runs, plans), captioned("Step time by cause", stepTimeTable(plan)),
             captioned("Derived metrics", paceTable(plan)), aboutPlan(plan)}};
}

ReportSection stepTimeOverview(const Runs& runs, const Plans& plans)
{
    if (std::ranges::none_of(plans, [](const PlanComparison& plan) { return plan.measured.has_value(); }))
        return {};
    const QList<ReportBlock> blocks{stepTimeFigure(runs, plans), paceOverview(runs, plans),
                                    causeOverview(runs, plans)};
    return {"Step time", blocks + aboutPlans(runs, plans)};
}

} // namespace trainyard
