#include "app/report/report_builder.h"

#include <QDateTime>

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

ReportDocument buildReport(const std::vector<RecordedRun>& runs)
{
    ReportDocument document{titleOf(runs), subtitleOf(runs), {}};
    for (const auto section : {summarySection, scalingSection, curvesSection, memorySection, stepTimeSection,
                               datasetSection, hostsSection, specificationSection, eventsSection}) {
        ReportSection made = section(runs);
        if (!made.blocks.isEmpty())
            document.sections << std::move(made);
    }
    return document;
}

Result<ReportDocument> buildReport(const QStringList& runFolders)
{
    if (runFolders.isEmpty())
        return badInput("a report needs at least one run", "name a run id; `trainyard runs` lists them");
    std::vector<RecordedRun> runs;
    for (const QString& folder : runFolders) {
        TRAINYARD_TRY(RecordedRun run, readRunFolder(folder));
        runs.push_back(std::move(run));
    }
    return buildReport(runs);
}

} // namespace trainyard
