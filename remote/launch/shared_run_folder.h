#pragma once

#include <functional>

#include <QString>

#include "engine/base/result.h"
#include "remote/launch/host_group.h"

namespace trainyard {

/// Checks whether the first `nodes` hosts of a run all see the head's folder for the run's checkpoints: the
/// head leaves a mark there, and the others look for it. The run must exist on every host. Refused with the
/// hosts that do not see it. `done` is dropped when `context` is gone; both outlive `group`'s answers.
void findSharedRunFolder(HostGroup& group, const QString& run, int nodes, const QObject* context,
                         std::function<void(const Status&)> done);

} // namespace trainyard
