#include "remote/preflight/host_rows.h"

#include <QStringList>

namespace trainyard::preflight {

namespace {

constexpr double kBusyShare = 0.5; ///< of the cores in use by others, from which on a run has to share
constexpr int kMaxNames = 4;

QString coresText(const UsedBy& one)
{
    const QString who = one.run.isEmpty() ? one.user : "your run " + one.run;
    const QString cores = QString("%1 uses %2 cores").arg(who).arg(one.cores, 0, 'f', 1);
    return one.memoryBytes > 0 ? cores + " and " + bytesText(one.memoryBytes) : cores;
}

} // namespace

QList<CheckRow> usageRows(const HostFacts& facts)
{
    double cores = 0;
    QStringList names;
    for (const UsedBy& one : facts.occupants) {
        cores += one.cores;
        if (names.size() < kMaxNames)
            names << coresText(one);
    }
    if (const auto more = facts.occupants.size() - names.size(); more > 0)
        names << QString("%1 more users").arg(more);
    const bool busy = facts.cores > 0 && cores > kBusyShare * facts.cores;
    return {row("other work", names.isEmpty() ? QString("none") : names.join("; "),
                busy ? Verdict::Warn : Verdict::Ok,
                QString("%1 of %2 cores are in use: let the run wait for them (trainyard launch --wait, or "
                        "launch.wait_for_devices), set launch.nice, or use another host")
                    .arg(cores, 0, 'f', 1)
                    .arg(facts.cores))};
}

} // namespace trainyard::preflight
