#pragma once

#include <functional>

#include <QString>

#include "engine/base/result.h"
#include "remote/launch/host_group.h"

namespace trainyard {

/// Asks whether the first `nodes` hosts of a run all see the folder that the head has for the run's
/// checkpoints: the head leaves a mark there, and the others look for it. The run must be made on every host.
/// Refused with the hosts that do not see it. `done` is dropped when `context` is gone; both live longer than
/// `group`'s answers.
void findSharedRunFolder(HostGroup& group, const QString& run, int nodes, const QObject* context,
                         std::function<void(const Status&)> done);

} // namespace trainyard
