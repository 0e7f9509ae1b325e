#include "remote/preflight/host_rows.h"

#include <QJsonArray>
#include <QRegularExpression>
#include <QStringList>

#include "remote/deploy/deploy_progress.h"
#include "remote/wire/elf_file.h"

namespace trainyard::preflight {

namespace {

constexpr qint64 kMinMemory = 2 * qint64(kGiB);

/// "6.1.0" of "6.1.0-18-amd64".
QString kernelNumber(const QString& release)
{
    static const QRegularExpression kNumber("^[0-9]+(\\.[0-9]+)*");
    return kNumber.match(release).captured();
}

CheckRow systemRow(const HostFacts& facts, const EngineNeeds& engine)
{
    const QString libc = facts.libc.isEmpty() ? QString("no glibc") : "glibc " + facts.libc;
    const QString kernel = kernelNumber(facts.raw.value("kernel").toString());
    const QString os = facts.os.isEmpty() ? QString("unknown system") : facts.os;
    const QString found =
        QString("%1, %2, %3%4")
            .arg(os, facts.architecture, kernel.isEmpty() ? QString() : "Linux " + kernel + ", ", libc);
    if (!engine.architecture.isEmpty() && facts.architecture != engine.architecture)
        return row(
            "system", found, Verdict::Fail,
            QString("the engine bundle is built for %1; use another host, or an engine built for this one")
                .arg(engine.architecture));
    if (engine.usesRuntime && !kernel.isEmpty() && isOlder(kernel.toStdString(), engine.kernel.toStdString()))
        return row("system", found, Verdict::Fail,
                   QString("the engine's C library needs Linux %1 or newer: update the host's kernel, or use "
                           "another host")
                       .arg(engine.kernel));
    return row("system", found);
}

QString newest(const QStringList& versions)
{
    QString newest;
    for (const QString& version : versions) {
        const QString number = version.section('_', 1);
        if (newest.isEmpty() || isOlder(newest.toStdString(), number.toStdString()))
            newest = number;
    }
    return newest;
}

/// What to do about a library that is missing or too old.
QString fixFor(const QString& library, const QStringList& lacks)
{
    if (library == "libcuda.so.1")
        return "install NVIDIA's driver, or add its folder to LD_LIBRARY_PATH in the shell start-up file";
    if (lacks.isEmpty() && library.startsWith("libmpi"))
        return "install OpenMPI 4 (Debian: openmpi-bin), or load its module in the shell start-up file";
    if (lacks.isEmpty())
        return QString("install the package that provides %1, or rebuild the engine with packaging/bundle on "
                       "a system that has it")
            .arg(library);
    if (library == "libc.so.6")
        return QString("the engine bundle needs glibc %1: use a host with a newer system, or build the "
                       "engine on a system as old as this host")
            .arg(newest(lacks));
    return QString("the engine bundle needs a %1 with %2: update it there, or build the engine on a system "
                   "as old as this host")
        .arg(library, newest(lacks));
}

struct Lacking {
    QStringList found;
    QStringList fixes;
};

Lacking lackingOf(const HostFacts& facts, const EngineNeeds::Libraries& needs)
{
    const QJsonObject libraries = facts.raw.value("libraries").toObject();
    Lacking lacking;
    for (const QString& name : needs.keys()) {
        if (!libraries.contains(name))
            continue; // not asked
        const QJsonObject answer = libraries.value(name).toObject();
        QStringList lacks;
        for (const auto& version : answer.value("lacks").toArray()) {
            if (needs.value(name).contains(version.toString()))
                lacks << version.toString();
        }
        const bool missing = answer.value("path").isNull();
        if (missing)
            lacking.found << name + " is missing";
        else if (!lacks.isEmpty())
            lacking.found << QString("%1 lacks %2").arg(name, lacks.join(", "));
        if (missing || !lacks.isEmpty())
            lacking.fixes << fixFor(name, lacks);
    }
    lacking.fixes.removeDuplicates();
    return lacking;
}

CheckRow librariesRow(const HostFacts& facts, const EngineNeeds& engine)
{
    EngineNeeds::Libraries needs = engine.libraries;
    if (!facts.devices.isEmpty()) {
        for (const auto& [name, versions] : engine.cudaLibraries.asKeyValueRange())
            needs[name] |= versions;
    }
    if (engine.usesRuntime)
        needs.removeIf([&](std::pair<const QString&, QSet<QString>&> need) {
            return engine.runtime.contains(need.first);
        });
    const Lacking lacking = lackingOf(facts, needs);
    if (lacking.found.isEmpty() && needs.isEmpty())
        return row("libraries", "none needed, the engine brings its own");
    if (lacking.found.isEmpty())
        return row("libraries", QString("all %1 required by the engine").arg(needs.size()));
    return row("libraries", lacking.found.join("; "), Verdict::Fail, lacking.fixes.join("; "));
}

CheckRow engineRow(const HostFacts& facts, const EngineNeeds& engine)
{
    if (engine.bundle.isEmpty())
        return row("engine", "no engine bundle to upload", Verdict::Warn,
                   "build one with packaging/bundle, or set TRAINYARD_BUNDLE");
    const QString name = engine.bundle.left(8);
    if (facts.link.hasEngine)
        return row("engine", QString("%1 is installed").arg(name));
    QString found = QString("%1 will be uploaded, %2").arg(name, bytesText(engine.bytes));
    const DeployPlan plan{engine.bytes, 1, facts.link.uploadBytesPerSecond};
    if (plan.bytesPerSecond > 0)
        found += ", about " + QString::fromStdString(formatDuration(plan.time()));
    return row("engine", found);
}

CheckRow processorRow(const HostFacts& facts)
{
    const QJsonArray flags = facts.raw.value("cpu").toObject().value("flags").toArray();
    QStringList wide;
    for (const char* flag : {"avx512f", "avx2", "amx_bf16", "avx512_bf16", "bf16"}) {
        if (flags.contains(QString(flag)))
            wide << flag;
    }
    QString found = QString("%1, %2 cores").arg(facts.cpu).arg(facts.cores);
    if (!wide.isEmpty())
        found += ", " + wide.join(", ");
    const bool slow = facts.architecture == "x86_64" && !flags.isEmpty() && !flags.contains(QString("avx2"));
    return row("processor", found, slow ? Verdict::Warn : Verdict::Ok,
               "without AVX2 the ranks on this processor compute several times slower than on others");
}

CheckRow memoryRow(const HostFacts& facts)
{
    const qint64 available =
        facts.raw.value("memory").toObject().value("available").toInteger(facts.memoryBytes);
    const QString found = QString("%1, %2 available").arg(bytesText(facts.memoryBytes), bytesText(available));
    if (facts.memoryBytes < kMinMemory)
        return row("memory", found, Verdict::Warn, "only very small models fit");
    return row("memory", found, available < kMinMemory ? Verdict::Warn : Verdict::Ok,
               "other processes use nearly all of it: end them, or use another host");
}

/// Ordinary logins run unconfined, and nothing is in their way.
CheckRow selinuxRow(const HostFacts& facts)
{
    const QString mode = facts.raw.value("selinux").toString();
    const QString domain = facts.raw.value("selinux_domain").toString();
    const bool confined = mode == "enforcing" && !domain.contains("unconfined");
    return row("SELinux", mode.isEmpty() ? "none" : mode + (confined ? ", this login is confined" : ""),
               confined ? Verdict::Warn : Verdict::Ok,
               "if a program there is not allowed to start: have the user mapped to unconfined_u "
               "(semanage login), or label the agent's folder bin_t (chcon -R -t bin_t)");
}

} // namespace

QList<CheckRow> systemRows(const HostFacts& facts, const EngineNeeds& engine)
{
    QList<CheckRow> rows{systemRow(facts, facts.isThisMachine() ? EngineNeeds() : engine)};
    if (!facts.isThisMachine()) {
        rows << engineRow(facts, engine);
        if (!engine.bundle.isEmpty())
            rows << librariesRow(facts, engine);
    }
    rows << processorRow(facts) << memoryRow(facts) << selinuxRow(facts);
    return rows;
}

} // namespace trainyard::preflight
