#pragma once

#include <QList>

#include "engine/spec/run_spec.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

/// Returns the devices of the host that the ranks of this node may take, in the order of its list: all that
/// the preflight has found where the node names none.
QList<DeviceFacts> devicesOf(const HostFacts& facts, const NodeSpec& node);

/// Refused when the node names a device that the preflight has not found, naming those that it has. An agent
/// without a driver's tool finds none: then nothing is known. `index`: of the node.
Status haveNamedDevices(const HostFacts& facts, const NodeSpec& node, std::size_t index);

} // namespace trainyard
