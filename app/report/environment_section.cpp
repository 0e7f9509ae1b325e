#include <QJsonArray>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "app/report/equal_hosts.h"
#include "app/report/sections.h"
#include "engine/spec/names.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

namespace {

QString known(const QString& text)
{
    return text.isEmpty() ? QStringLiteral("–") : oneLine(text);
}

void addOnce(const QStringList& cells, ReportTable& table)
{
    if (!table.rows.contains(cells))
        table.rows << cells;
}

ReportTable softwareTable(const Runs& runs)
{
    ReportTable table{"Software", {"run", "Trainyard", "launcher", "device", "computes in"}, {}};
    for (const RecordedRun& run : runs) {
        QStringList cells{labelOf(run, runs), known(run.facts.inventory["version"].toString())};
        if (run.facts.spec)
            cells << toQString(nameOf(run.facts.spec->launch.launcher))
                  << toQString(nameOf(run.facts.spec->launch.device))
                  << toQString(nameOf(run.facts.spec->precision.compute));
        cells.resize(table.columns.size(), known({}));
        table.rows << cells;
    }
    return table;
}

QString devicesOf(const HostFacts& facts)
{
    QStringList names;
    for (const DeviceFacts& device : facts.devices)
        names << oneLine(device.name);
    QStringList counted;
    for (const QString& name : std::as_const(names)) {
        const QString words = QStringLiteral("%1 x %2").arg(names.count(name)).arg(name);
        if (!counted.contains(words))
            counted << words;
    }
    return counted.join(QStringLiteral(", "));
}

QString driversOf(const HostFacts& facts)
{
    QStringList drivers;
    for (const DeviceFacts& device : facts.devices) {
        if (!device.driver.isEmpty() && !drivers.contains(device.driver))
            drivers << device.driver;
    }
    return drivers.join(QStringLiteral(", "));
}

/// What the agent found on a host when the run was launched; dashes for what nobody recorded.
QStringList hostCells(const QString& host, const QJsonObject& probe)
{
    const HostFacts facts = readFacts(host, probe, {});
    return {oneLine(host),
            known(facts.os),
            known(probe["kernel"].toString()),
            known(facts.libc),
            known(facts.cpu),
            facts.cores ? QString::number(facts.cores) : known({}),
            facts.memoryBytes ? displayBytes(static_cast<double>(facts.memoryBytes)) : known({}),
            known(devicesOf(facts)),
            known(driversOf(facts)),
            known(facts.mpi)};
}

/// Hosts that were found the same stand there as one.
ReportTable hostTable(const Runs& runs)
{
    ReportTable table{
        "Hosts",
        {"host", "system", "kernel", "glibc", "CPU", "cores", "memory", "devices", "driver", "MPI"},
        {}};
    for (const RecordedRun& run : runs) {
        const QJsonArray inventory = run.facts.inventory["hosts"].toArray();
        for (const QJsonValue& entry : inventory)
            addOnce(hostCells(entry["host"].toString(), entry["probe"].toObject()), table);
        if (inventory.isEmpty()) {
            for (const QString& host : run.facts.hosts)
                addOnce(hostCells(host, {}), table);
        }
    }
    return withEqualHostsFolded(table);
}

ReportTable warningTable(const Runs& runs)
{
    ReportTable table{"Preflight findings", {"host", "check", "verdict", "found", "fix"}, {}};
    for (const RecordedRun& run : runs) {
        for (const QJsonValue& host : run.facts.inventory["preflight"]["hosts"].toArray()) {
            for (const QJsonValue& check : host["checks"].toArray())
                addOnce({oneLine(host["host"].toString()), known(check["check"].toString()),
                         known(check["verdict"].toString()), known(check["found"].toString()),
                         known(check["fix"].toString())},
                        table);
        }
    }
    return withEqualHostsFolded(table);
}

bool wereLookedAt(const Runs& runs)
{
    return std::ranges::all_of(
        runs, [](const RecordedRun& run) { return run.facts.inventory.contains("preflight"); });
}

} // namespace

ReportSection environmentSection(const Runs& runs)
{
    ReportSection section{"Environment", {softwareTable(runs)}};
    if (const ReportTable hosts = hostTable(runs); !hosts.rows.isEmpty())
        section.blocks << hosts;
    if (const ReportTable warnings = warningTable(runs); !warnings.rows.isEmpty())
        section.blocks << warnings;
    else if (wereLookedAt(runs))
        section.blocks << QStringLiteral("The preflight found no problem on any host.");
    return section;
}

} // namespace trainyard
