#pragma once

#include <vector>

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace trainyard {

/// An IPv4 network in which every host of a run has a unique address.
struct CommonNetwork {
    QString network;        ///< "10.1.0.0/16"
    QStringList addresses;  ///< of each host, in their order
    QStringList interfaces; ///< of each host: "eth0"
    qint64 speed = 0;       ///< Mbit/s of the slowest interface; 0 = not all drivers tell
    bool infiniband = false;
    qint64 smallestMtu = 0; ///< bytes; 0 = unknown
    qint64 largestMtu = 0;

    /// The names of its interfaces, each once, for libraries that know interfaces only by name (NCCL); empty
    /// when one of the names means another network on some host.
    QStringList plainNames = {};
};

/// Returns the networks that hosts with these answers to `probe` have in common, best first: InfiniBand
/// before the others, then by speed, then in the head's order. Skips a network in which two hosts have the
/// same address (as container bridges do on every machine), because it connects nobody.
QList<CommonNetwork> commonNetworks(const std::vector<QJsonObject>& probes);

/// Returns an address for each host when they have no common network: its first address that no other host
/// has. Empty for a host without one.
QStringList ownAddresses(const std::vector<QJsonObject>& probes);

} // namespace trainyard
