#pragma once

#include <vector>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "engine/planner/memory/memory_fit.h"
#include "remote/preflight/preflight.h"

namespace trainyard {

/// Returns a host's memory from its preflight facts: no more than its control group allows, and the devices
/// that the node names, or all.
NodeMemory memoryOf(const HostFacts& facts, const NodeSpec& node);

/// Builds inventory.json of a run: its hosts as found when it began there, and the preflight report.
/// `streamHosts`: the host of each stream node-<n>.
QJsonObject inventoryOf(const QStringList& hosts, const QStringList& streamHosts,
                        const std::vector<QJsonObject>& probes, const QString& bundle,
                        const PreflightReport& preflight);

} // namespace trainyard
