#include "remote/preflight/host_rows.h"

namespace trainyard::preflight {

namespace {

constexpr qint64 kMinDisk =
    64 * qint64(kMiB); // journals and logs; whether the engine fits is asked when it is sent
constexpr qint64 kUsualDisk = 10 * qint64(kGiB); // the engine and some checkpoints
constexpr qint64 kMinSharedMemory = 64 * qint64(kMiB);
constexpr qint64 kMinInodes = 500; // the engine's files, a run's, and their temporary names
constexpr qint64 kUsualInodes = 10'000;

const QString kMove = "set TRAINYARD_HOME on the host to a folder with enough space";

/// Bytes that this user may still write; the disk's, where no quota is known.
qint64 roomOn(const QJsonObject& disk)
{
    const qint64 free = disk.value("free").toInteger();
    const QJsonObject quota = disk.value("quota").toObject();
    if (!quota.contains("limit"))
        return free;
    return std::min(free,
                    std::max<qint64>(0, quota.value("limit").toInteger() - quota.value("used").toInteger()));
}

CheckRow diskRow(const HostFacts& facts)
{
    const QJsonObject disk = facts.raw.value("disk").toObject();
    const qint64 room = roomOn(disk);
    QString found = QString("%1 free at %2").arg(bytesText(room), disk.value("path").toString());
    if (room < disk.value("free").toInteger())
        found += ", limited by your quota";
    if (!disk.value("writable").toBool(true))
        return row("disk", found + ", not writable", Verdict::Fail, kMove);
    if (disk.value("noexec").toBool())
        return row("disk", found + ", mounted noexec", Verdict::Fail,
                   "set TRAINYARD_HOME on the host to a folder where programs may run");
    if (room < kMinDisk)
        return row("disk", found, Verdict::Fail, "free some space, or " + kMove);
    return row("disk", found, room < kUsualDisk ? Verdict::Warn : Verdict::Ok,
               "the engine takes half a GiB, checkpoints of larger models more: " + kMove);
}

/// File systems that make inodes as they need them count none.
CheckRow inodesRow(const HostFacts& facts)
{
    const QJsonObject disk = facts.raw.value("disk").toObject();
    const QJsonObject quota = disk.value("quota").toObject();
    const bool counted = disk.value("inodes_total").toInteger() > 0;
    if (!counted && !quota.contains("inodes_limit"))
        return row("inodes", "not counted");
    qint64 left = counted ? disk.value("inodes_free").toInteger() : INT64_MAX;
    if (quota.contains("inodes_limit"))
        left = std::clamp<qint64>(
            quota.value("inodes_limit").toInteger() - quota.value("inodes_used").toInteger(), 0, left);
    const Verdict verdict = left < kMinInodes     ? Verdict::Fail
                            : left < kUsualInodes ? Verdict::Warn
                                                  : Verdict::Ok;
    return row("inodes", QString("%1 free at %2").arg(left).arg(disk.value("path").toString()), verdict,
               "remove many small files there, or " + kMove);
}

/// Where nothing can be stored and started in the home, the agent goes elsewhere by itself
/// (agent_bootstrap.h); what that means has to be said.
CheckRow homeRow(const HostFacts& facts)
{
    const QJsonObject home = facts.raw.value("home").toObject();
    const QString root = facts.link.agent.root;
    const QString path = home.value("path").toString();
    if (!root.startsWith("/var/tmp/trainyard-"))
        return row("home", QString("%1, %2").arg(path, home.value("filesystem").toString()));
    const QString why = !home.value("writable").toBool(true) ? " is not writable"
                        : home.value("noexec").toBool()      ? " allows no programs (noexec)"
                                                             : " was not usable when the agent was installed";
    return row("home", QString("%1%2; engine and runs are kept in %3").arg(path, why, root), Verdict::Warn,
               QString("the system may clear that folder: set TRAINYARD_HOME in the host's shell start-up "
                       "file to a folder on a permanent disk, or make %1/.trainyard usable and remove %2")
                   .arg(path, root));
}

CheckRow sharedMemoryRow(const HostFacts& facts)
{
    const QJsonObject shm = facts.raw.value("shm").toObject();
    const qint64 total = shm.value("total").toInteger();
    const qint64 free = shm.value("free").toInteger(total);
    return row("shared memory", QString("%1, %2 free").arg(bytesText(total), bytesText(free)),
               free < kMinSharedMemory ? Verdict::Warn : Verdict::Ok,
               "ranks on one host communicate through /dev/shm: give it 64 MiB or more (mount -o "
               "remount,size=1g /dev/shm; in a container --shm-size), or remove leftover files there");
}

} // namespace

QList<CheckRow> storageRows(const HostFacts& facts)
{
    QList<CheckRow> rows{diskRow(facts), inodesRow(facts)};
    if (!facts.raw.value("home").toObject().isEmpty())
        rows << homeRow(facts);
    rows << sharedMemoryRow(facts);
    return rows;
}

} // namespace trainyard::preflight
