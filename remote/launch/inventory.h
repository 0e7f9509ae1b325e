#pragma once

#include <vector>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"
#include "engine/planner/memory_fit.h"
#include "remote/target/host_report.h"

namespace trainyard {

/// What a preflight tells about a host's memory.
NodeMemory memoryOf(const HostFacts& facts);

/// inventory.json of a run: its hosts as they were found when it started.
QJsonObject inventoryOf(const QStringList& hosts, const std::vector<QJsonObject>& probes,
                        const QString& bundle);

/// Refused with everything that speaks against a run on these hosts, host by host.
Status judgeHosts(const std::vector<HostReport>& reports);

/// The one IPv4 network, as "10.1.0.0/16", in which every host has an address; empty when there is none or
/// several. The ranks talk through it, so that MPI does not try the interfaces of containers and VPNs.
QString commonNetwork(const std::vector<QJsonObject>& probes);

} // namespace trainyard
