#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// A line of known_hosts by which the head's ssh knows a node: `names` as the head may call it, `key` as
/// Target::hostKey(). Empty when there is no key or no plain name.
QString knownHostsLine(const QStringList& names, const QString& key);

/// What `reach` answered on the head: Refused with every node on which it could not start a rank, and the
/// fix.
Status judgeReach(const QString& head, const QJsonObject& answer);

} // namespace trainyard
