#include "remote/preflight/host_report.h"

#include <algorithm>

#include <QJsonArray>

#include "remote/preflight/host_rows.h"

namespace trainyard {

namespace {

QList<UsedBy> readUsers(const QJsonArray& entries)
{
    QList<UsedBy> users;
    for (const auto& entry : entries) {
        const QJsonObject user = entry.toObject();
        users << UsedBy{user.value("user").toString(),    user.value("run").toString(),
                        user.value("program").toString(), user.value("pid").toInteger(),
                        user.value("cores").toDouble(),   user.value("memory").toInteger()};
    }
    return users;
}

DeviceFacts readDevice(const QJsonObject& device)
{
    DeviceFacts facts;
    facts.name = device.value("name").toString();
    facts.memoryBytes = device.value("memory_total").toInteger();
    facts.usedBytes = device.value("memory_used").toInteger();
    facts.utilisation = device.value("utilisation").toDouble();
    facts.driver = device.value("driver").toString();
    facts.compute = device.value("compute").toString();
    facts.eccErrors = device.value("ecc_errors").toInteger();
    facts.mig = device.value("mig").toBool();
    facts.users = readUsers(device.value("processes").toArray());
    facts.index = device.value("index").toInt();
    facts.uuid = device.value("uuid").toString();
    facts.instance = device.value("instance").toString();
    facts.gpuMemoryBytes = device.value("gpu_memory").toInteger();
    return facts;
}

/// What stood in the way: the key, the login or the network.
QString checkOf(const Error& error)
{
    const QString message = QString::fromStdString(error.message);
    if (message.contains("host key"))
        return "host key";
    return error.kind == ErrorKind::Refused ? "login" : "connection";
}

std::optional<ProcessorMath> readMath(const QJsonObject& products)
{
    const auto of = [&](const char* type) {
        return narrowProductsFrom(products.value(QLatin1String(type)).toString().toStdString());
    };
    const auto bfloat16 = of("bfloat16");
    const auto float16 = of("float16");
    return bfloat16 && float16 ? std::optional(ProcessorMath{*bfloat16, *float16}) : std::nullopt;
}

} // namespace

Verdict HostReport::worst() const
{
    Verdict worst = Verdict::Ok;
    for (const CheckRow& row : rows)
        worst = std::max(worst, row.verdict);
    for (const LinkRow& link : links)
        worst = std::max(worst, link.verdict);
    return worst;
}

HostFacts readFacts(const QString& host, const QJsonObject& probe, const LinkFacts& link)
{
    HostFacts facts;
    facts.host = host;
    facts.hostName = probe.value("host").toString();
    facts.os = probe.value("os").toString();
    facts.architecture = probe.value("arch").toString();
    facts.libc = probe.value("glibc").toString();
    facts.cpu = probe.value("cpu").toObject().value("model").toString();
    facts.math = readMath(probe.value("cpu").toObject().value("narrow_products").toObject());
    facts.cores = probe.value("cpu").toObject().value("cores").toInt();
    facts.memoryBytes = probe.value("memory").toObject().value("total").toInteger();
    facts.diskFreeBytes = probe.value("disk").toObject().value("free").toInteger();
    for (const auto& entry : probe.value("devices").toArray())
        facts.devices << readDevice(entry.toObject());
    facts.occupants = readUsers(probe.value("occupants").toArray());
    facts.mpi = probe.value("mpi").toObject().value("version").toString();
    facts.slurm = probe.value("slurm").toObject().value("version").toString();
    facts.link = link;
    facts.raw = probe;
    return facts;
}

HostReport unreachableReport(const QString& host, const Error& error)
{
    HostReport report;
    report.host = report.facts.host = host;
    report.rows << CheckRow{checkOf(error), QString::fromStdString(error.message), Verdict::Fail,
                            QString::fromStdString(error.hint)};
    return report;
}

HostReport evaluateHost(const HostFacts& facts, const EngineNeeds& engine)
{
    using namespace preflight;
    HostReport report{facts.host, {}, facts, {}};
    report.rows << connectionRows(facts) << systemRows(facts, engine) << deviceRows(facts, engine)
                << usageRows(facts) << storageRows(facts) << limitRows(facts) << programRows(facts, engine);
    return report;
}

} // namespace trainyard
