#include "app/report/report_builder.h"

#include "app/base/display_text.h"
#include "app/plan/plan_comparison.h"
#include "app/report/sections.h"
#include "app/runs/run_phase.h"
#include "engine/spec/phases/phases.h"

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

QList<ReportSection> sectionsOf(const Runs& runs, const Plans& plans, const PhasePlans& phases,
                                ReportTemplate pattern)
{
    if (pattern == ReportTemplate::Run)
        return {summarySection(runs),        curvesSection(runs),          heldOutSection(runs, plans),
                phasesSection(runs, phases), memorySection(plans.front()), stepTimeSection(runs, plans),
                costSection(runs, phases),   settingsSection(runs),        datasetSection(runs),
                environmentSection(runs),    eventsSection(runs),          defaultsSection(runs)};
    if (pattern == ReportTemplate::Comparison)
        return {summarySection(runs),          curvesSection(runs),         heldOutSection(runs, plans),
                settingsSection(runs),         phasesSection(runs, phases), memoryOverview(runs, plans),
                stepTimeOverview(runs, plans), costSection(runs, phases),   datasetSection(runs),
                environmentSection(runs),      eventsSection(runs),         defaultsSection(runs)};
    return {summarySection(runs),        scalingSection(runs),          curvesSection(runs),
            heldOutSection(runs, plans), stepTimeOverview(runs, plans), memoryOverview(runs, plans),
            phasesSection(runs, phases), costSection(runs, phases),     settingsSection(runs),
            datasetSection(runs),        environmentSection(runs),      eventsSection(runs),
            defaultsSection(runs)};
}

Plans plansOfPhases(const RecordedRun& run, const HardwareLibrary& library, const std::string& hardware)
{
    Plans plans;
    const int count = run.facts.spec ? phaseCount(*run.facts.spec) : 1;
    for (int phase = 0; phase < count; ++phase) {
        const RunFacts facts = factsOfPhase(run.facts, phase);
        plans.push_back(comparePlan(facts, run.series, planOf(facts, library, hardware)));
    }
    return plans;
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
    PhasePlans phases;
    for (const RecordedRun& run : runs) {
        phases.push_back(plansOfPhases(run, library, options.hardware));
        plans.push_back(phases.back()[static_cast<std::size_t>(phaseNow(run.facts, run.series))]);
    }
    ReportDocument document{titleOf(runs, pattern), subtitleOf(runs), {}};
    for (const ReportSection& section : sectionsOf(runs, plans, phases, pattern)) {
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
