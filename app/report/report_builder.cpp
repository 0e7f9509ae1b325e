#include "app/report/report_builder.h"

#include <QDateTime>

#include "app/models/plan_of_run.h"
#include "app/report/sections.h"

namespace trainyard {

namespace {

QString titleOf(const Runs& runs)
{
    return runs.size() == 1 ? runs.front().facts.name() : QStringLiteral("%1 runs").arg(runs.size());
}

QString subtitleOf(const Runs& runs)
{
    QStringList ids;
    for (const RecordedRun& run : runs)
        ids << run.facts.id;
    return ids.join(", ");
}

} // namespace

ReportDocument buildReport(const std::vector<RecordedRun>& runs, const HardwareLibrary& hardware,
                           const std::string& nodes)
{
    Plans plans;
    for (const RecordedRun& run : runs)
        plans.push_back(comparePlan(run.facts, run.series, planOf(run.facts, hardware, nodes)));
    ReportDocument document{titleOf(runs), subtitleOf(runs), {}};
    for (const ReportSection& section :
         {summarySection(runs), scalingSection(runs), curvesSection(runs), memorySection(runs, plans),
          stepTimeSection(runs, plans), datasetSection(runs), hostsSection(runs), specificationSection(runs),
          eventsSection(runs)}) {
        if (!section.blocks.isEmpty())
            document.sections << section;
    }
    return document;
}

Result<ReportDocument> buildReport(const QStringList& runFolders, const HardwareLibrary& hardware,
                                   const std::string& nodes)
{
    if (runFolders.isEmpty())
        return badInput("a report needs at least one run", "name a run id; `trainyard runs` lists them");
    std::vector<RecordedRun> runs;
    for (const QString& folder : runFolders) {
        TRAINYARD_TRY(RecordedRun run, readRunFolder(folder));
        runs.push_back(std::move(run));
    }
    return buildReport(runs, hardware, nodes);
}

} // namespace trainyard
