#pragma once

#include <cstdint>

#include <QJsonArray>
#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// The number of the next attempt of a run, from the runs that its head lists: the host knows best how often
/// it was started. Refused while it is at work and when it is finished, BadInput when the head does not have
/// it.
Result<std::uint32_t> nextAttemptOf(const QString& runId, const QJsonArray& runs, const QString& head);

} // namespace trainyard
