#pragma once

#include <vector>

#include <QJsonObject>

#include "remote/launch/start_plan.h"
#include "remote/preflight/preflight.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// The request `launch` for the head (remote/agent/PROTOCOL.md, Runs). `probes`: what the preflight found, by
/// node; `leastReplicas`: 0 = the run needs all.
QJsonObject launchMessage(const StartPlan& plan, const HostGroup& hosts, const PreflightReport& found,
                          const std::vector<QJsonObject>& probes, int leastReplicas);

} // namespace trainyard
