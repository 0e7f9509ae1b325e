#include "app/cli/support/host_runs.h"

#include <chrono>

#include <QEventLoop>

#include "app/cli/support/console.h"
#include "app/cli/support/desk.h"

namespace trainyard {

QList<HostRun> askHost(Desk& desk, const QString& host)
{
    QList<HostRun> answer;
    if (const Status reached = desk.reach(host, std::chrono::seconds(10)); !reached.ok()) {
        console::note(QString::fromStdString(reached.error().text()));
        return answer;
    }
    QEventLoop loop;
    desk.runs().listRuns(host, &loop, [&](const Result<QList<HostRun>>& runs) {
        if (runs.ok())
            answer = *runs;
        else
            console::note(QString::fromStdString(runs.error().text()));
        loop.quit();
    });
    loop.exec();
    return answer;
}

} // namespace trainyard
