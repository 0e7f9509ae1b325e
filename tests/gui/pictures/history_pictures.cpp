#include <QTabWidget>

#include "app/history/compare_page.h"
#include "app/report/reports_page.h"
#include "app/runs/run_store.h"
#include "tests/gui/pictures/picture_runs.h"
#include "tests/gui/pictures/run_views.h"

namespace trainyard::pictures {

namespace {

void failToExport(DeskWindow& desk)
{
    placeOf<ReportsPage>(desk).exportTo(QStringLiteral("/no/such/folder/report.pdf"));
}

QStringList newestRuns(DeskWindow& desk, qsizetype most)
{
    QStringList ids;
    for (const RunEntry& entry : desk.session().runStore().history().runs().mid(0, most))
        ids.append(entry.id);
    return ids;
}

} // namespace

void compare(DeskWindow& desk, const QStringList& runs, int tab)
{
    forgetGone(desk);
    auto& page = placeOf<ComparePage>(desk);
    page.setChosen(runs);
    page.findChild<QTabWidget*>()->setCurrentIndex(tab);
}

void report(DeskWindow& desk, const QStringList& runs)
{
    forgetGone(desk);
    placeOf<ReportsPage>(desk).setChosen(runs);
}

const QList<Picture>& historyPictures()
{
    static const QList<Picture> list{
        {"compare",
         [](DeskWindow& desk) {
             compare(desk, {kLive, kFailed, kResumed, kStopped}, 0);
         }},
        {"compare-held-out",
         [](DeskWindow& desk) {
             compare(desk, {kOverfitted, kReached, kLive}, 0);
         }},
        {"compare-differences",
         [](DeskWindow& desk) {
             compare(desk, {kLive, kFailed, kResumed}, 1);
         }},
        {"compare-scaling", [](DeskWindow& desk) { compare(desk, study(), 2); }},
        {"compare-none", [](DeskWindow& desk) { compare(desk, {}, 0); }},
        {"reports", [](DeskWindow& desk) { report(desk, {kResumed}); }},
        {"reports-study", [](DeskWindow& desk) { report(desk, study()); }},
        {"reports-target", [](DeskWindow& desk) { report(desk, {kReached}); }},
        {"reports-phases", [](DeskWindow& desk) { report(desk, {kPhased}); }},
        {"reports-task", [](DeskWindow& desk) { report(desk, {kAnswers}); }},
        {"reports-long-names",
         [](DeskWindow& desk) {
             report(desk, {kFailed, kLive});
         }},
        {"reports-failed", failToExport},
        {"reports-none", [](DeskWindow& desk) { report(desk, {}); }},
    };
    return list;
}

const QList<Picture>& recordedRunPictures()
{
    static const QList<Picture> list{
        {"recorded-runs", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Charts); }},
        {"recorded-devices", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Devices); }},
        {"recorded-timeline",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Timeline); }},
        {"recorded-timeline-2",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 2).value(1), Timeline); }},
        {"recorded-timeline-3",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 3).value(2), Timeline); }},
        {"recorded-timeline-4",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 4).value(3), Timeline); }},
        {"recorded-log", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Log); }},
        {"recorded-events", [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Events); }},
        {"recorded-checkpoints",
         [](DeskWindow& desk) { showRun(desk, newestRuns(desk, 1).value(0), Checkpoints); }},
        {"recorded-compare", [](DeskWindow& desk) { compare(desk, newestRuns(desk, 3), 2); }},
        {"recorded-reports", [](DeskWindow& desk) { report(desk, newestRuns(desk, 3)); }}};
    return list;
}

} // namespace trainyard::pictures
