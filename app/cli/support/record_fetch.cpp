#include "app/cli/support/record_fetch.h"

#include <memory>

#include <QTimer>

#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"
#include "app/cli/support/history.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

namespace {

constexpr std::chrono::seconds kReachPatience{10};
constexpr std::chrono::seconds kSilence{10}; ///< without a record, before the rest is given up
constexpr std::chrono::milliseconds kLook{100};

/// Those whose records here may lack something, as their hosts started them.
Result<QList<DeskRun>> incompleteAmong(const QStringList& runIds)
{
    TRAINYARD_TRY(const auto history, History::open());
    QList<DeskRun> incomplete;
    for (const QString& id : runIds) {
        const auto entry = history->database().find(id);
        const auto run = loadDeskRun(id);
        if (entry && run.ok() && (!entry->isOver() || int(run->attempt) > entry->attempt))
            incomplete.append(*run);
    }
    return incomplete;
}

Status fetch(Desk& desk, const DeskRun& run)
{
    TRAINYARD_TRY_STATUS(desk.reach(run.head(), kReachPatience));
    RunFollower follower(run.id, run.allHosts(), desk.targets());
    console::Awaited<Status> outcome;
    QTimer silence, look;
    outcome.onInterrupt([&outcome] { outcome.set(cancelled("interrupted")); });
    QObject::connect(&follower, &RunFollower::recordsArrived, &silence, qOverload<>(&QTimer::start));
    QObject::connect(&follower, &RunFollower::problem, outcome.context(),
                     [&outcome](const Error& error) { outcome.set(error); });
    QObject::connect(&silence, &QTimer::timeout, outcome.context(), [&] {
        outcome.set(unreachable("no more records arrived from " + run.hosts.join(", ").toStdString()));
    });
    QObject::connect(&look, &QTimer::timeout, outcome.context(), [&] {
        if (follower.caughtUp())
            outcome.set({});
    });
    follower.start();
    silence.start(kSilence);
    look.start(kLook);
    return outcome.wait();
}

} // namespace

Status fetchRecords(const QStringList& runIds)
{
    TRAINYARD_TRY(const QList<DeskRun> runs, incompleteAmong(runIds));
    if (runs.isEmpty())
        return {};
    Desk desk;
    for (const DeskRun& run : runs) {
        console::transient("fetching the records of " + run.id);
        const Status fetched = fetch(desk, run);
        if (!fetched.ok() && fetched.error().kind == ErrorKind::Cancelled)
            return fetched;
        if (!fetched.ok())
            console::warn(run.id + ": " + QString::fromStdString(fetched.error().text()) +
                          "; using its records on this computer");
    }
    return {};
}

} // namespace trainyard
