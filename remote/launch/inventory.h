#pragma once

#include <vector>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "engine/planner/memory/memory_fit.h"
#include "remote/preflight/preflight.h"

namespace trainyard {

/// What a preflight tells about a host's memory.
NodeMemory memoryOf(const HostFacts& facts);

/// inventory.json of a run: its hosts as they were found when it started, and what the preflight said.
QJsonObject inventoryOf(const QStringList& hosts, const std::vector<QJsonObject>& probes,
                        const QString& bundle, const PreflightReport& preflight);

} // namespace trainyard
