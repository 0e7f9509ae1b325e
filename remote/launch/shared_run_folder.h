#pragma once

#include <functional>

#include <QString>
#include <QStringList>

#include "engine/base/result.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Finds out which of the first `nodes` hosts of a run do not see the head's folder for the run's checkpoints:
/// the head leaves a mark there, and the others look for it. The run must exist on every host. `done` gets
/// their names; it is dropped when `context` is gone, and both outlive `group`'s answers.
void findHostsWithoutSharedFolder(HostGroup& group, const QString& run, int nodes, const QObject* context,
                                  std::function<void(const Result<QStringList>&)> done);

} // namespace trainyard
