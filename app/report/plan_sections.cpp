#include <algorithm>

#include "app/models/plan_tables.h"
#include "app/models/theme.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

constexpr qsizetype kMostRanksListed = 64; // the figure has them all

QString text(std::string_view name)
{
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

ReportTable captioned(const QString& caption, const TextTable& table)
{
    return {caption, table.columns, table.rows};
}

/// A layer for every kind, filled; or the planned ones, outlined.
template <typename Kind>
QList<ReportLayer> layersOf(std::size_t kinds, bool isPlanned)
{
    QList<ReportLayer> layers;
    for (std::size_t i = 0; i < kinds; ++i) {
        const auto kind = static_cast<Kind>(i);
        layers << ReportLayer{text(nameOf(kind)) + (isPlanned ? " (planned)" : ""),
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

ReportFigure memoryFigure(const QList<DeviceMemory>& ranks, const QString& label)
{
    const MemoryUnit unit = unitFor(ranks);
    ReportFigure figure{"Peak memory of each rank, " + label, "rank", QString("memory (%1)").arg(unit.name)};
    auto measured = layersOf<MemoryCategory>(kMemoryCategories, false);
    auto planned = layersOf<MemoryCategory>(kMemoryCategories, true);
    for (const DeviceMemory& rank : ranks) {
        figure.bars << QString::number(figure.bars.size());
        addValues(measured, rank.categories, unit);
        addValues(planned, rank.planned.value_or(MemoryByCategory{}), unit);
    }
    figure.layers = measured;
    if (hasPlan(ranks)) {
        figure.caption += "; outlined what was planned";
        figure.layers += planned;
    }
    return figure;
}

QList<ReportBlock> memoryBlocks(const QList<DeviceMemory>& ranks, const QString& label)
{
    QList<ReportBlock> blocks{memoryFigure(ranks, label)};
    if (ranks.size() <= kMostRanksListed)
        blocks << captioned("Peak memory of each rank, " + label, rankMemoryTable(ranks));
    const auto fullest = std::ranges::max_element(ranks, {}, &DeviceMemory::peak);
    return blocks << captioned("Peak memory on each host, sums over its ranks, " + label,
                               hostMemoryTable(ranks))
                  << captioned("Fullest rank by category, " + label, categoryMemoryTable(*fullest));
}

void addPace(QList<ReportLayer>& layers, const std::optional<RunPace>& pace)
{
    for (std::size_t c = 0; c < kCommonCauses; ++c)
        layers[static_cast<qsizetype>(c)].values << (pace ? pace->byCause[c] : 0);
}

ReportFigure stepTimeFigure(const Runs& runs, const Plans& plans)
{
    ReportFigure figure{"Where the time of a step goes, on the rank that works longest", "run", "time (s)"};
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
        figure.caption += "; outlined what was planned";
        figure.layers += planned;
    }
    return figure;
}

QString aboutPlan(const PlanComparison& plan, const QString& label)
{
    return label + ": " +
           (plan.planned ? "planned for " + plan.hardware + ", by the run's own specification."
                         : plan.whyNoTime);
}

} // namespace

ReportSection memorySection(const Runs& runs, const Plans& plans)
{
    ReportSection section{"Memory per device", {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const QString label = labelOf(runs[i], runs);
        if (plans[i].memory.isEmpty())
            continue;
        section.blocks << memoryBlocks(plans[i].memory, label);
        if (!hasPlan(plans[i].memory))
            section.blocks << label + ": " + plans[i].whyNoTime;
    }
    return section;
}

ReportSection stepTimeSection(const Runs& runs, const Plans& plans)
{
    ReportSection section{"Step time", {}};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const QString label = labelOf(runs[i], runs);
        if (!plans[i].measured)
            continue;
        section.blocks << captioned("Time of a step by cause, " + label, stepTimeTable(plans[i]))
                       << captioned("What follows from it, " + label, paceTable(plans[i]))
                       << aboutPlan(plans[i], label);
    }
    if (!section.blocks.isEmpty())
        section.blocks.prepend(stepTimeFigure(runs, plans));
    return section;
}

} // namespace trainyard
