#include "remote/preflight/host_rows.h"

#include <QJsonArray>

namespace trainyard::preflight {

namespace {

constexpr qint64 kUnlimited = -1;
// A rank of OpenMPI with LibTorch opens some 60 files and starts some 10 threads, and as many as it has cores
// for computing; below the first figure nothing starts, below the second larger runs do not.
constexpr qint64 kMinFiles = 128;
constexpr qint64 kUsualFiles = 1024;
constexpr qint64 kMinTasks = 128;
constexpr qint64 kUsualTasks = 1024;
constexpr qint64 kMinMemory = 1 * qint64(kGiB); // a rank with LibTorch and a small model
constexpr qint64 kMinAddressSpace = 4 * qint64(kGiB);
constexpr qint64 kPinnedMemory = 64 * qint64(kMiB);

QString countText(qint64 count)
{
    return count == kUnlimited ? QString("unlimited") : QString::number(count);
}

Verdict verdictOn(qint64 count, qint64 least, qint64 usual)
{
    if (count == kUnlimited || count >= usual)
        return Verdict::Ok;
    return count < least ? Verdict::Fail : Verdict::Warn;
}

CheckRow filesRow(const QJsonObject& limits)
{
    const qint64 files = limits.value("nofile").toInteger(kUnlimited);
    return row("open files", countText(files), verdictOn(files, kMinFiles, kUsualFiles),
               "raise nofile to 1024 or more in /etc/security/limits.conf (ulimit -n)");
}

CheckRow processesRow(const QJsonObject& limits)
{
    const qint64 most = limits.value("processes").toInteger(kUnlimited);
    const qint64 used = limits.value("processes_used").toInteger();
    const qint64 left = most == kUnlimited ? kUnlimited : std::max<qint64>(0, most - used);
    return row("processes",
               most == kUnlimited ? countText(most) : QString("%1 of %2 left").arg(left).arg(most),
               verdictOn(left, kMinTasks, kUsualTasks),
               "raise nproc to 1024 or more in /etc/security/limits.conf (ulimit -u)");
}

CheckRow tasksRow(const QJsonObject& limits)
{
    const qint64 most = limits.value("tasks").toInteger(kUnlimited);
    const qint64 used = limits.value("tasks_used").toInteger();
    const qint64 left = most == kUnlimited ? kUnlimited : std::max<qint64>(0, most - used);
    return row("tasks of the session",
               most == kUnlimited ? countText(most) : QString("%1 of %2 left").arg(left).arg(most),
               verdictOn(left, kMinTasks, kUsualTasks),
               "raise TasksMax of the user's slice (systemctl set-property user-UID.slice "
               "TasksMax=infinity), or the "
               "container's --pids-limit");
}

/// What the system lets this user's processes have together; the kernel kills some beyond it.
CheckRow memoryLimitRow(const QJsonObject& limits)
{
    const qint64 memory = limits.value("memory").toInteger(kUnlimited);
    const qint64 space = limits.value("address_space").toInteger(kUnlimited);
    if (space != kUnlimited)
        return row("memory limit",
                   QString("%1 of addresses for each process (ulimit -v)").arg(bytesText(space)),
                   space < kMinAddressSpace ? Verdict::Fail : Verdict::Warn,
                   "LibTorch reserves many addresses that it does not use: raise \"as\" in "
                   "/etc/security/limits.conf (ulimit -v unlimited)");
    if (memory == kUnlimited)
        return row("memory limit", countText(memory));
    return row(
        "memory limit",
        QString("%1 for all processes of the session, %2 in use")
            .arg(bytesText(memory), bytesText(limits.value("memory_used").toInteger())),
        memory < kMinMemory ? Verdict::Fail : Verdict::Ok,
        "raise MemoryMax of the user's slice (systemctl set-property user-UID.slice MemoryMax=infinity), "
        "or the container's --memory");
}

/// Only fabrics with remote memory access pin what they send from.
CheckRow lockedMemoryRow(const HostFacts& facts, const QJsonObject& limits)
{
    const qint64 locked = limits.value("memlock").toInteger(kUnlimited);
    const QJsonArray interfaces = facts.raw.value("interfaces").toArray();
    const bool infiniband = std::any_of(interfaces.begin(), interfaces.end(), [](const auto& entry) {
        return entry.toObject().value("name").toString().startsWith("ib");
    });
    return row("locked memory", locked == kUnlimited ? countText(locked) : bytesText(locked),
               infiniband && locked != kUnlimited && locked < kPinnedMemory ? Verdict::Warn : Verdict::Ok,
               "InfiniBand needs more: set memlock to unlimited in /etc/security/limits.conf");
}

} // namespace

QList<CheckRow> limitRows(const HostFacts& facts)
{
    const QJsonObject limits = facts.raw.value("limits").toObject();
    return {filesRow(limits), processesRow(limits), tasksRow(limits), memoryLimitRow(limits),
            lockedMemoryRow(facts, limits)};
}

} // namespace trainyard::preflight
