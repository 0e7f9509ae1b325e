#pragma once

#include <QJsonArray>
#include <QList>
#include <QString>

namespace trainyard {

class Target;

/// Returns the name by which the head, and mpirun on it, reaches a host that is called `host` here: without
/// the user name, which only our login needs.
QString nameForMpi(const QString& host);

/// Returns lines of known_hosts for the head's ssh, with the keys of these nodes that we have verified. A
/// node without a known key (this machine, or one never reached) has no line.
QJsonArray knownHostsOf(const QList<Target*>& nodes);

} // namespace trainyard
