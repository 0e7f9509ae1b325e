#pragma once

#include <algorithm>

#include <QList>

#include "engine/base/units.h"
#include "remote/preflight/engine_needs.h"
#include "remote/preflight/host_report.h"

/// The rows of evaluateHost(), one function for each subject. For the files of this folder.
namespace trainyard::preflight {

QList<CheckRow> connectionRows(const HostFacts& facts);
QList<CheckRow> systemRows(const HostFacts& facts, const EngineNeeds& engine);
QList<CheckRow> deviceRows(const HostFacts& facts, const EngineNeeds& engine);
QList<CheckRow> usageRows(const HostFacts& facts);
QList<CheckRow> storageRows(const HostFacts& facts);
QList<CheckRow> limitRows(const HostFacts& facts);
QList<CheckRow> programRows(const HostFacts& facts, const EngineNeeds& engine);

inline CheckRow row(const QString& check, const QString& found, Verdict verdict = Verdict::Ok,
                    const QString& fix = {})
{
    return {check, found, verdict, verdict == Verdict::Ok ? QString() : fix};
}

inline QString bytesText(qint64 bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(std::max<qint64>(bytes, 0))));
}

/// "112 MB/s", "1.2 GB/s": decimal, as networks are counted.
QString rateText(double bytesPerSecond);
/// "0.12 ms", "48 ms".
QString latencyText(double milliseconds);

} // namespace trainyard::preflight
