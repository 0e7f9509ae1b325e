#include "remote/preflight/host_rows.h"

#include <algorithm>
#include <array>

#include <QMap>
#include <QSet>
#include <QStringList>

#include "remote/wire/elf_file.h"

namespace trainyard::preflight {

namespace {

constexpr double kBusyMemory = 0.1; ///< share of a device's memory that others may have taken
constexpr double kBusyTime = 0.2;

/// What CUDA's release notes say a run-time of this major version needs at least.
struct CudaRules {
    int cuda;
    const char* driver;
    const char* compute;
};
constexpr std::array<CudaRules, 3> kCudaRules{
    {{11, "450.80.02", "3.5"}, {12, "525.60.13", "5.0"}, {13, "580.65.06", "7.5"}}};

/// "NVIDIA H100, 80 GiB", of an instance "NVIDIA A100 MIG 3g.20gb, 19.5 GiB (49 % of its GPU's memory)".
QString kindOf(const DeviceFacts& device)
{
    const QString kind = QString("%1, %2").arg(device.name, bytesText(device.memoryBytes));
    if (!device.isInstance() || device.gpuMemoryBytes <= 0)
        return kind;
    return QString("%1 (%2 % of its GPU's memory)")
        .arg(kind)
        .arg(100.0 * double(device.memoryBytes) / double(device.gpuMemoryBytes), 0, 'f', 0);
}

QString kindsOf(const QList<DeviceFacts>& devices)
{
    QMap<QString, int> counts;
    for (const DeviceFacts& device : devices)
        ++counts[kindOf(device)];
    QStringList kinds;
    for (const auto& [kind, count] : counts.asKeyValueRange())
        kinds << QString("%1 × %2").arg(count).arg(kind);
    return kinds.join("; ");
}

/// NCCL takes two instances of one GPU for the same device twice.
bool sharesAGpu(const QList<DeviceFacts>& devices)
{
    QSet<int> seen;
    for (const DeviceFacts& device : devices) {
        if (!device.isInstance())
            continue;
        if (seen.contains(device.index))
            return true;
        seen.insert(device.index);
    }
    return false;
}

CheckRow devicesRow(const HostFacts& facts)
{
    const QString trouble = facts.raw.value("devices_error").toString();
    if (!trouble.isEmpty())
        return row("devices", trouble, Verdict::Warn, "repair the driver; until then ranks use CPU cores");
    if (facts.devices.isEmpty())
        return row("devices", "no accelerator; ranks use CPU cores");
    const QString kinds = kindsOf(facts.devices);
    if (std::any_of(facts.devices.begin(), facts.devices.end(),
                    [](const DeviceFacts& device) { return device.mig && !device.isInstance(); }))
        return row("devices", kinds + ", cut into MIG instances that nvidia-smi does not list", Verdict::Warn,
                   "create instances (nvidia-smi mig -cgi), or disable MIG to use whole devices (nvidia-smi "
                   "-mig 0)");
    if (sharesAGpu(facts.devices))
        return row("devices", kinds, Verdict::Warn,
                   "NCCL does not connect two ranks on instances of one GPU: give the host one slot per GPU, "
                   "or disable MIG (nvidia-smi -mig 0)");
    return row("devices", kinds);
}

QString oldest(const HostFacts& facts, QString DeviceFacts::*field)
{
    QString oldest;
    for (const DeviceFacts& device : facts.devices) {
        const QString value = device.*field;
        if (!value.isEmpty() && (oldest.isEmpty() || isOlder(value.toStdString(), oldest.toStdString())))
            oldest = value;
    }
    return oldest;
}

CheckRow driverRow(const HostFacts& facts, int cuda)
{
    const QString driver = oldest(facts, &DeviceFacts::driver);
    const QString compute = oldest(facts, &DeviceFacts::compute);
    const QString found = QString("%1, compute capability %2").arg(driver, compute);
    if (cuda == 0)
        return row("driver", found, Verdict::Warn,
                   "the engine bundle was built without CUDA, so ranks use CPU cores: build with "
                   "-DTRAINYARD_WITH_CUDA=ON and rebuild the bundle");
    const auto rules = std::find_if(kCudaRules.begin(), kCudaRules.end(),
                                    [&](const CudaRules& r) { return r.cuda == cuda; });
    if (rules == kCudaRules.end())
        return row("driver", found);
    if (isOlder(driver.toStdString(), rules->driver))
        return row(
            "driver", found, Verdict::Fail,
            QString("the engine bundle uses CUDA %1, which needs driver %2 or newer: update the driver")
                .arg(cuda)
                .arg(rules->driver));
    if (isOlder(compute.toStdString(), rules->compute))
        return row(
            "driver", found, Verdict::Fail,
            QString("CUDA %1 does not support devices below compute capability %2: use another host, or an "
                    "engine with an older CUDA")
                .arg(cuda)
                .arg(rules->compute));
    return row("driver", found);
}

/// "anna (python, 31.2 GiB)", "your run 20261126T101010Z-bert-1f2e (40 GiB)".
QString textOf(const UsedBy& user)
{
    QStringList amounts;
    if (user.run.isEmpty())
        amounts << user.program;
    if (user.memoryBytes > 0)
        amounts << bytesText(user.memoryBytes);
    const QString who = !user.run.isEmpty()   ? "your run " + user.run
                        : user.user.isEmpty() ? QString("process %1").arg(user.pid)
                                              : user.user;
    return amounts.isEmpty() ? who : QString("%1 (%2)").arg(who, amounts.join(", "));
}

QString usersText(int index, const QList<UsedBy>& users)
{
    QStringList names;
    for (const UsedBy& user : users)
        names << textOf(user);
    return QString("gpu %1 is used by %2").arg(index).arg(names.join(" and "));
}

/// Who sits on the devices already, and which of them counts errors.
CheckRow conditionRow(const HostFacts& facts)
{
    QStringList busy;
    QStringList faulty;
    for (int i = 0; i < facts.devices.size(); ++i) {
        const DeviceFacts& device = facts.devices[i];
        if (device.eccErrors > 0)
            faulty << QString("device %1: %2 uncorrected memory errors").arg(i).arg(device.eccErrors);
        if (!device.users.isEmpty())
            busy << usersText(i, device.users);
        else if (double(device.usedBytes) > kBusyMemory * double(device.memoryBytes) ||
                 device.utilisation > kBusyTime)
            busy << QString("device %1: %2 in use, %3 % busy")
                        .arg(i)
                        .arg(bytesText(device.usedBytes))
                        .arg(device.utilisation * 100, 0, 'f', 0);
    }
    if (!faulty.isEmpty())
        return row("device state", (faulty + busy).join("; "), Verdict::Fail,
                   "restart the host; replace a device whose errors recur (nvidia-smi -q -d ECC)");
    return row("device state", busy.isEmpty() ? "free, no memory errors" : busy.join("; "),
               busy.isEmpty() ? Verdict::Ok : Verdict::Warn,
               "other processes use them, and the run would be slower or run out of memory: let it wait for "
               "them (trainyard launch --wait, or launch.wait_for_devices), or use another host");
}

} // namespace

QList<CheckRow> deviceRows(const HostFacts& facts, const EngineNeeds& engine)
{
    QList<CheckRow> rows{devicesRow(facts)};
    if (facts.devices.isEmpty())
        return rows;
    if (!facts.isThisMachine() && !engine.bundle.isEmpty())
        rows << driverRow(facts, engine.cuda);
    rows << conditionRow(facts);
    return rows;
}

} // namespace trainyard::preflight
