#pragma once

#include <QJsonArray>
#include <QList>
#include <QString>

namespace trainyard {

class Target;

/// How the head, and mpirun on it, calls a host that the desk calls `host`: without the user that only the
/// desk's login needs.
QString nameForMpi(const QString& host);

/// Lines of known_hosts by which the head's ssh knows these nodes, with the keys that the desk has verified.
/// A node without a key, because it is this machine or was never reached, has no line.
QJsonArray knownHostsOf(const QList<Target*>& nodes);

} // namespace trainyard
