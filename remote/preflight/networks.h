#pragma once

#include <vector>

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace trainyard {

/// An IPv4 network in which every host of a run has an address of its own.
struct CommonNetwork {
    QString network;        ///< "10.1.0.0/16"
    QStringList addresses;  ///< of each host, in their order
    QStringList interfaces; ///< of each host: "eth0"
    qint64 speed = 0;       ///< Mbit/s of the slowest interface; 0 = not all drivers tell
    bool infiniband = false;
    qint64 smallestMtu = 0; ///< bytes; 0 = unknown
    qint64 largestMtu = 0;

    /// The names of its interfaces, each once, for libraries that know interfaces by name alone (NCCL); empty
    /// when one of the names means another network on some host.
    QStringList plainNames = {};
};

/// The networks that hosts with these answers to `probe` have in common, the best first: InfiniBand before
/// the others, then by speed, then in the head's order. A network in which two hosts have the same address
/// (as container bridges do on every machine) connects nobody and is left out.
QList<CommonNetwork> commonNetworks(const std::vector<QJsonObject>& probes);

/// Where each host may be reached when they have no network in common: its first address that no other has.
/// Empty for a host without one.
QStringList ownAddresses(const std::vector<QJsonObject>& probes);

} // namespace trainyard
