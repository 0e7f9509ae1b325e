#include "app/report/report_builder.h"

#include "app/base/display_text.h"
#include "app/plan/plan_comparison.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

QString titleOf(const Runs& runs, ReportTemplate pattern)
{
    if (pattern == ReportTemplate::Run)
        return oneLine(runs.front().facts.name());
    if (pattern == ReportTemplate::Comparison)
        return QStringLiteral("Comparison of %1 runs").arg(runs.size());
    QStringList models;
    for (const ScalingStudy& study : scalingStudies(runs))
        models << study.model;
    return QStringLiteral("Scaling study of ") + models.join(QStringLiteral(", "));
}

QString subtitleOf(const Runs& runs)
{
    QStringList ids;
    for (const RecordedRun& run : runs)
        ids << run.facts.id;
    return ids.join(", ");
}

QList<ReportSection> sectionsOf(const Runs& runs, const Plans& plans, ReportTemplate pattern)
{
    if (pattern == ReportTemplate::Run)
        return {summarySection(runs),         curvesSection(runs),          heldOutSection(runs, plans),
                memorySection(plans.front()), stepTimeSection(runs, plans), costSection(runs, plans),
                datasetSection(runs),         environmentSection(runs),     specificationSection(runs),
                eventsSection(runs)};
    if (pattern == ReportTemplate::Comparison)
        return {summarySection(runs),        specificationSection(runs),  curvesSection(runs),
                heldOutSection(runs, plans), memoryOverview(runs, plans), stepTimeOverview(runs, plans),
                costSection(runs, plans),    datasetSection(runs),        environmentSection(runs),
                eventsSection(runs)};
    return {summarySection(runs),          scalingSection(runs),        heldOutSection(runs, plans),
            stepTimeOverview(runs, plans), memoryOverview(runs, plans), costSection(runs, plans),
            curvesSection(runs),           datasetSection(runs),        environmentSection(runs),
            specificationSection(runs),    eventsSection(runs)};
}

/// Why the template says nothing about these runs.
Status checkTemplate(const Runs& runs, ReportTemplate pattern)
{
    switch (pattern) {
    case ReportTemplate::Run:
        if (runs.size() > 1)
            return badInput("the template \"run\" is for one run",
                            "choose one, or the template \"comparison\"");
        break;
    case ReportTemplate::Comparison:
        if (runs.size() < 2)
            return badInput("a comparison needs at least two runs", "choose a second one");
        break;
    case ReportTemplate::Scaling:
        if (scalingStudies(runs).empty())
            return badInput("a scaling study needs runs of one model on at least two world sizes, all with "
                            "measured steps",
                            "create them with `trainyard scaling SPEC --ranks 1,2,4`");
        break;
    case ReportTemplate::DataSet:
        return badInput("the template \"data-set\" is for data sets, not for runs",
                        "name the data set's folder");
    }
    return {};
}

} // namespace

Result<ReportDocument> buildReport(const std::vector<RecordedRun>& runs, const HardwareLibrary& library,
                                   const ReportOptions& options)
{
    if (runs.empty())
        return badInput("a report needs at least one run", "name a run id; `trainyard runs` lists them");
    const ReportTemplate pattern = options.pattern.value_or(usualTemplate(runs));
    TRAINYARD_TRY_STATUS(checkTemplate(runs, pattern));
    Plans plans;
    for (const RecordedRun& run : runs)
        plans.push_back(comparePlan(run.facts, run.series, planOf(run.facts, library, options.hardware)));
    ReportDocument document{titleOf(runs, pattern), subtitleOf(runs), {}};
    for (const ReportSection& section : sectionsOf(runs, plans, pattern)) {
        if (!section.blocks.isEmpty())
            document.sections << section;
    }
    return document;
}

Result<ReportDocument> buildReport(const QStringList& runFolders, const HardwareLibrary& library,
                                   const ReportOptions& options)
{
    std::vector<RecordedRun> runs;
    for (const QString& folder : runFolders) {
        TRAINYARD_TRY(RecordedRun run, readRunFolder(folder));
        runs.push_back(std::move(run));
    }
    return buildReport(runs, library, options);
}

} // namespace trainyard
