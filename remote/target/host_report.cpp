#include "remote/target/host_report.h"

#include <algorithm>

#include <QJsonArray>
#include <QVersionNumber>

#include "engine/base/units.h"

namespace trainyard {

namespace {

constexpr qint64 kLeastMemory = 2 * qint64(kGiB);
constexpr qint64 kLeastDisk =
    64 * qint64(kMiB); // journals and logs; whether the engine fits is asked when it is sent
constexpr qint64 kUsualDisk = 10 * qint64(kGiB); // the engine and some checkpoints
constexpr qint64 kLeastSharedMemory = 64 * qint64(kMiB);
constexpr qint64 kLeastFiles = 1024;
constexpr qint64 kLeastInodes = 10'000;
constexpr double kLargestOffsetMs = 1000;

QString bytesText(qint64 bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(std::max<qint64>(bytes, 0))));
}

CheckRow row(const QString& check, const QString& found, Verdict verdict = Verdict::Ok,
             const QString& fix = {})
{
    return {check, found, verdict, verdict == Verdict::Ok ? QString() : fix};
}

CheckRow connectionRow(const HostFacts& facts)
{
    const QString found = facts.host == "localhost"
                              ? QString("this machine")
                              : QString("answers in %1 ms").arg(facts.clock.latencyMs, 0, 'f', 1);
    return row("connection", found);
}

CheckRow systemRow(const HostFacts& facts, const QString& neededGlibc)
{
    const QString found = QString("%1, %2, glibc %3").arg(facts.os, facts.architecture, facts.libc);
    if (facts.architecture != "x86_64")
        return row("system", found, Verdict::Fail, "the engine is built for x86_64; use another host");
    if (!facts.libc.isEmpty() &&
        QVersionNumber::fromString(facts.libc) < QVersionNumber::fromString(neededGlibc))
        return row("system", found, Verdict::Fail,
                   QString("the engine of this desk needs glibc %1; build it on a system as old as this host")
                       .arg(neededGlibc));
    return row("system", found);
}

CheckRow memoryRow(const HostFacts& facts)
{
    return row("memory", bytesText(facts.memoryBytes),
               facts.memoryBytes < kLeastMemory ? Verdict::Warn : Verdict::Ok, "only very small models fit");
}

CheckRow sharedMemoryRow(const HostFacts& facts)
{
    const qint64 total = facts.raw.value("shm").toObject().value("total").toInteger();
    return row("shared memory", bytesText(total), total < kLeastSharedMemory ? Verdict::Warn : Verdict::Ok,
               "ranks on one host talk through /dev/shm: mount it with at least 64 MiB");
}

CheckRow devicesRow(const HostFacts& facts)
{
    const QString trouble = facts.raw.value("devices_error").toString();
    if (!trouble.isEmpty())
        return row("devices", trouble, Verdict::Warn, "repair the driver; until then ranks use CPU cores");
    if (facts.devices.isEmpty())
        return row("devices", "no accelerator; ranks use CPU cores");
    return row("devices", QString("%1 × %2, %3")
                              .arg(facts.devices.size())
                              .arg(facts.devices.front().name, bytesText(facts.devices.front().memoryBytes)));
}

CheckRow diskRow(const HostFacts& facts)
{
    const QJsonObject disk = facts.raw.value("disk").toObject();
    const QString found =
        QString("%1 free at %2").arg(bytesText(facts.diskFreeBytes), disk.value("path").toString());
    const QString move = "set TRAINYARD_HOME on the host to a folder with room";
    if (!disk.value("writable").toBool(true))
        return row("disk", found + ", read-only", Verdict::Fail, move);
    if (disk.value("noexec").toBool())
        return row("disk", found + ", mounted noexec", Verdict::Fail,
                   "set TRAINYARD_HOME on the host to a folder that allows programs");
    if (facts.diskFreeBytes < kLeastDisk)
        return row("disk", found, Verdict::Fail, "free some space, or " + move);
    if (const auto inodes = disk.value("inodes_free").toInteger(kLeastInodes);
        inodes < kLeastInodes && inodes > 0)
        return row("disk", QString("%1, %2 inodes left").arg(found).arg(inodes), Verdict::Warn, move);
    return row("disk", found, facts.diskFreeBytes < kUsualDisk ? Verdict::Warn : Verdict::Ok,
               "the engine takes half a GiB, checkpoints of larger models more: " + move);
}

CheckRow limitsRow(const HostFacts& facts)
{
    const QJsonObject limits = facts.raw.value("limits").toObject();
    const qint64 files = limits.value("nofile").toInteger(-1);
    const QString found = files < 0 ? QString("open files: unlimited") : QString("open files: %1").arg(files);
    return row("limits", found, files >= 0 && files < kLeastFiles ? Verdict::Warn : Verdict::Ok,
               "raise nofile to 1024 or more in /etc/security/limits.conf");
}

CheckRow mpiRow(const HostFacts& facts)
{
    if (facts.mpi.isEmpty())
        return row("MPI", "no mpirun", Verdict::Fail,
                   "install OpenMPI (Debian: openmpi-bin) or load its module in the shell start-up file");
    return row("MPI", facts.mpi);
}

CheckRow clockRow(const HostFacts& facts)
{
    const double offset = facts.clock.offsetMs;
    const QString found =
        QString("%1%2 ms against this desk").arg(offset < 0 ? "−" : "+").arg(std::abs(offset), 0, 'f', 0);
    return row("clock", found, std::abs(offset) > kLargestOffsetMs ? Verdict::Warn : Verdict::Ok,
               "times of this host will look wrong; start its time service (chrony, systemd-timesyncd)");
}

CheckRow logoutRow(const HostFacts& facts)
{
    const QJsonObject logind = facts.raw.value("logind").toObject();
    const bool killed = logind.value("kill_user_processes").toBool() && !logind.value("linger").toBool();
    return row("after logout", killed ? "processes are killed" : "processes go on",
               killed ? Verdict::Fail : Verdict::Ok, "loginctl enable-linger on the host");
}

} // namespace

Verdict HostReport::worst() const
{
    Verdict worst = Verdict::Ok;
    for (const CheckRow& row : rows)
        worst = std::max(worst, row.verdict);
    return worst;
}

HostFacts readFacts(const QString& host, const QJsonObject& probe, const ClockReading& clock)
{
    HostFacts facts;
    facts.host = host;
    facts.hostName = probe.value("host").toString();
    facts.os = probe.value("os").toString();
    facts.architecture = probe.value("arch").toString();
    facts.libc = probe.value("glibc").toString();
    facts.cpu = probe.value("cpu").toObject().value("model").toString();
    facts.cores = probe.value("cpu").toObject().value("cores").toInt();
    facts.memoryBytes = probe.value("memory").toObject().value("total").toInteger();
    facts.diskFreeBytes = probe.value("disk").toObject().value("free").toInteger();
    for (const auto& entry : probe.value("devices").toArray()) {
        const QJsonObject device = entry.toObject();
        facts.devices << DeviceFacts{device.value("name").toString(),
                                     device.value("memory_total").toInteger()};
    }
    facts.mpi = probe.value("mpi").toObject().value("version").toString();
    facts.slurm = probe.value("slurm").toObject().value("version").toString();
    facts.clock = clock;
    facts.raw = probe;
    return facts;
}

HostReport judgeHost(const HostFacts& facts, const QString& agentVersion, const QString& glibc)
{
    HostReport report{facts.host, {}, facts};
    report.rows << connectionRow(facts);
    if (facts.host != "localhost")
        report.rows << row("host key", "known and unchanged");
    report.rows << row("agent", "version " + agentVersion) << systemRow(facts, glibc)
                << row("processor", QString("%1, %2 cores").arg(facts.cpu).arg(facts.cores))
                << memoryRow(facts) << sharedMemoryRow(facts) << devicesRow(facts) << diskRow(facts)
                << limitsRow(facts) << mpiRow(facts)
                << row("Slurm", facts.slurm.isEmpty() ? "none" : facts.slurm) << clockRow(facts)
                << logoutRow(facts);
    return report;
}

HostReport unreachableReport(const QString& host, const Error& error)
{
    HostReport report;
    report.host = report.facts.host = host;
    report.rows << row("connection", QString::fromStdString(error.message), Verdict::Fail,
                       QString::fromStdString(error.hint));
    return report;
}

} // namespace trainyard
