#include "app/cli/support/host_runs.h"

#include <chrono>

#include "app/cli/support/awaited.h"
#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"

namespace trainyard {

QList<HostRun> askHost(Desk& desk, const QString& host)
{
    if (const Status reached = desk.reach(host, std::chrono::seconds(10)); !reached.ok()) {
        console::note(QString::fromStdString(reached.error().text()));
        return {};
    }
    console::Awaited<Result<QList<HostRun>>> answer;
    desk.runs().listRuns(host, answer.context(),
                         [&](const Result<QList<HostRun>>& runs) { answer.set(runs); });
    const auto runs = answer.wait();
    if (runs.ok())
        return *runs;
    console::note(QString::fromStdString(runs.error().text()));
    return {};
}

} // namespace trainyard
