#include "remote/preflight/compare_hosts.h"

#include <QStringList>

#include "remote/preflight/host_rows.h"

namespace trainyard {

namespace {

using preflight::row;

QString textIn(const HostReport& report, const char* field)
{
    return report.facts.raw.value(QLatin1String(field)).toString();
}

/// Two containers of one machine have networks of their own; two names of one machine do not.
bool areOneMachine(const HostReport& a, const HostReport& b)
{
    return !textIn(a, "boot_id").isEmpty() && textIn(a, "boot_id") == textIn(b, "boot_id") &&
           textIn(a, "network_namespace") == textIn(b, "network_namespace");
}

template <typename Condition>
QStringList othersLike(const QList<HostReport>& reports, int self, Condition same)
{
    QStringList others;
    for (int i = 0; i < reports.size(); ++i) {
        if (i != self && reports[i].wasReached() && same(reports[i]))
            others << reports[i].host;
    }
    return others;
}

CheckRow machineRow(const QList<HostReport>& reports, int self)
{
    const QStringList twins = othersLike(
        reports, self, [&](const HostReport& other) { return areOneMachine(reports[self], other); });
    if (twins.isEmpty())
        return row("machine", "listed once");
    return row("machine", "the same machine as " + twins.join(", "), Verdict::Fail,
               "list it once, with the slots of all its names added up");
}

CheckRow nameRow(const QList<HostReport>& reports, int self)
{
    const QString name = reports[self].facts.hostName;
    const QStringList namesakes = othersLike(reports, self, [&](const HostReport& other) {
        return other.facts.hostName == name && !areOneMachine(reports[self], other);
    });
    if (!namesakes.isEmpty())
        return row("host name",
                   QString("\"%1\", as %2 %3")
                       .arg(name, namesakes.join(", "), namesakes.size() == 1 ? "has" : "have"),
                   Verdict::Fail,
                   "MPI tells hosts apart by name: give each a unique one (hostnamectl set-hostname NAME)");
    if (name.startsWith("localhost"))
        return row("host name", name, Verdict::Fail,
                   "MPI tells hosts apart by name: set one (hostnamectl set-hostname NAME)");
    return row("host name", name);
}

QString majorAndMinor(const QString& version)
{
    return version.section('.', 0, 1);
}

CheckRow mpiRow(const HostReport& head, const HostReport& report)
{
    const QString found = QString("%1, on %2 %3").arg(report.facts.mpi, head.host, head.facts.mpi);
    const QString fix =
        "install the same version on every host, or load the same module in their start-up files";
    if (report.facts.mpi.isEmpty() || head.facts.mpi.isEmpty() || report.facts.mpi == head.facts.mpi)
        return row("MPI versions", report.facts.mpi.isEmpty() ? "none" : "equal");
    const bool near = majorAndMinor(report.facts.mpi) == majorAndMinor(head.facts.mpi);
    return row("MPI versions", found, near ? Verdict::Warn : Verdict::Fail, fix);
}

CheckRow slurmRow(const HostReport& head, const HostReport& report)
{
    if (report.facts.slurm == head.facts.slurm)
        return row("Slurm versions", report.facts.slurm.isEmpty() ? "none" : "equal");
    const auto shown = [](const QString& version) { return version.isEmpty() ? QString("none") : version; };
    return row("Slurm versions",
               QString("%1, on %2 %3").arg(shown(report.facts.slurm), head.host, shown(head.facts.slurm)),
               Verdict::Warn, "jobs may not start from here: install the cluster's version");
}

CheckRow folderRow(const HostReport& head, const HostReport& report)
{
    const QString here = report.facts.link.agent.root;
    const QString there = head.facts.link.agent.root;
    if (here == there)
        return row("agent's folder", "equal");
    return row("agent's folder", QString("%1, on %2 %3").arg(here, head.host, there), Verdict::Fail,
               "ranks are started from the same path everywhere: set TRAINYARD_HOME to the same folder on "
               "every host");
}

QStringList deviceNames(const HostReport& report)
{
    QStringList names;
    for (const DeviceFacts& device : report.facts.devices)
        names << device.name;
    names.sort();
    return names;
}

CheckRow deviceRow(const HostReport& head, const HostReport& report)
{
    const QStringList here = deviceNames(report);
    if (here == deviceNames(head))
        return row("equal devices", here.isEmpty() ? "none" : "equal");
    const bool some = !here.isEmpty() && !head.facts.devices.isEmpty();
    return row(
        "equal devices", QString("different from %1").arg(head.host), Verdict::Warn,
        some ? "every step waits for the slowest device: give the hosts matching shares, or leave some out"
             : "all ranks run on CPU cores when one host has no device: leave that host out");
}

} // namespace

void compareHosts(QList<HostReport>& reports, bool withMpiOfHosts)
{
    if (reports.size() < 2)
        return;
    const QList<HostReport> before = reports;
    const HostReport& head = before.front();
    for (int i = 0; i < reports.size(); ++i) {
        HostReport& report = reports[i];
        if (!report.wasReached())
            continue;
        report.rows << machineRow(before, i) << nameRow(before, i);
        if (i == 0 || !head.wasReached())
            continue;
        if (withMpiOfHosts)
            report.rows << mpiRow(head, before[i]);
        report.rows << slurmRow(head, before[i]) << folderRow(head, before[i]) << deviceRow(head, before[i]);
    }
}

} // namespace trainyard
